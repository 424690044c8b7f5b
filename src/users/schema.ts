import { z } from "@hono/zod-openapi";
import { line } from "../http/line.ts";
import { PASSWORD_LENGTH } from "../identity/password-length.ts";
import { NewPassword, PASSWORD_RULES } from "../identity/password.ts";
import { emailKey } from "./email.ts";

const ContactNumber = z
  .string()
  .regex(/^[6-9][0-9]{9}$/, "Use ten digits, the first from 6 to 9")
  .openapi({ description: "Ten digits, the first from 6 to 9", example: "9876543210" });

const UserIdentifier = z.string().openapi({ example: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" });

const Name = z.string().regex(/^[A-Za-z]+$/, "Use letters only").max(100, "Use at most 100 characters");

export const Register = z
  .object({
    firstName: Name.openapi({ description: "Letters only", example: "Asha" }),
    lastName: Name.openapi({ description: "Letters only", example: "Rao" }),
    emailId: z
      .string()
      .trim()
      .max(320, "Use at most 320 characters")
      .refine((text) => emailKey(text) !== undefined, "Use a valid e-mail address")
      .openapi({ description: "Unique, however it is spelled; signs in as well as the user id", example: "asha.rao@example.com", format: "email" }),
    password: NewPassword.openapi({ description: PASSWORD_RULES, example: "Correct-Horse-7-Battery", format: "password", ...PASSWORD_LENGTH }),
    primaryContactNumber: ContactNumber,
  })
  .openapi("RegisterDto");

const IdempotencyKey = z.string().regex(/^[\x21-\x7E]{1,255}$/, "Use 1 to 255 printing ASCII characters");

export const RegisterHeaders = z.object({
  "idempotency-key": IdempotencyKey.optional().openapi({
    description: "The same key with the same registration gives the same answer, also after a broken connection.",
    example: "8e03978e-40d5-43dd-bc93-6894a57f9324",
  }),
});

export const Registered = z
  .object({
    userId: UserIdentifier,
    responseMessage: z.string().openapi({ example: "User registered" }),
    responseCode: z.literal("USER_CREATED_201"),
  })
  .openapi("RegistrationResponse");

const AddressType = z.enum(["PERMANENT", "RESIDENTIAL", "OFFICE"]);

const Address = z
  .object({
    addressLine1: line(255).openapi({ example: "12 Lake View Road" }),
    addressLine2: line(255).optional().openapi({ example: "Flat 4" }),
    city: line(100).openapi({ example: "Pune" }),
    state: line(100).openapi({ example: "Maharashtra" }),
    pinCode: line(16).openapi({ example: "411001" }),
    country: line(100).optional().openapi({ example: "India" }),
    addressType: AddressType.openapi({ description: "A user has at most one address of each type.", example: "PERMANENT" }),
  })
  .openapi("Address");

export const Update = z
  .object({
    isLockUser: z.boolean().nullish().openapi({ description: "True locks the user; false unlocks, for ROLE_ADMIN.", example: true }),
    updateContactDto: z
      .object({
        contactNumber: ContactNumber,
        isPrimary: z.boolean().nullish().openapi({ description: "True makes it the primary number, in place of the one there is.", example: false }),
      })
      .nullish(),
    updateAddressDto: Address.nullish(),
  })
  .openapi("UserUpdateDto");

export const Updated = z
  .object({ userId: UserIdentifier, responseMessage: z.string().openapi({ example: "User updated" }), responseCode: z.literal("USER_UPDATED_200") })
  .openapi("UserUpdateResponse");

const Step = z.enum(["BASIC_DETAILS_ADDED", "ADDRESS_ADDED", "SECURITY_CREDENTIALS_ADDED"]);

export const Profile = z
  .object({
    userId: UserIdentifier,
    firstName: z.string().openapi({ example: "Asha" }),
    lastName: z.string().openapi({ example: "Rao" }),
    emailId: z.string().openapi({ example: "asha.rao@example.com" }),
    primaryContactNumber: z.string().openapi({ example: "9876543210" }),
    status: z.enum(["ACTIVE", "BLOCKED", "DORMANT"]).openapi({
      description: "`BLOCKED` while the user is locked. `DORMANT` after no sign-in for the time the operator has set: no lock, and signing in makes the user `ACTIVE` again.",
    }),
    isLockUser: z.boolean(),
    contacts: z.array(
      z.object({
        contactNumber: z.string().openapi({ example: "9876543210" }),
        type: z.enum(["PRIMARY", "SECONDARY", "OTHERS"]),
        isVerified: z.boolean(),
      }),
    ),
    addresses: z.array(Address),
    registration: z.object({
      status: z.enum(["REGISTRATION_IN_PROGRESS", "REGISTRATION_COMPLETE"]),
      lastStepCompleted: Step,
      nextStep: Step.nullable().openapi({ description: "Null when the registration is complete." }),
    }),
    createdAt: z.iso.datetime().openapi({ example: "2026-11-21T09:30:00.000Z" }),
    updatedAt: z.iso.datetime().openapi({ example: "2026-11-21T09:42:17.000Z" }),
  })
  .openapi("UserDetails");

export const UpdateSecurityDetails = z
  .object({
    securityQuestions: z
      .array(
        z.object({
          question: line(255).openapi({ example: "What was your first school?" }),
          answer: line(255).openapi({ description: "Never shown again", example: "Lakeside", format: "password" }),
        }),
      )
      .min(1, "Give at least one question")
      .max(10, "Give at most 10 questions")
      .refine((all) => new Set(all.map(({ question }) => question)).size === all.length, "Ask each question once"),
  })
  .openapi("UpdateSecurityDetailsDto");

export const SecurityDetailsUpdated = z
  .object({ userId: UserIdentifier, response: z.string().openapi({ example: "Security questions set" }), responseCode: z.literal("SECURITY_DETAILS_UPDATED_200") })
  .openapi("SecurityDetailsResponse");

export const SecurityDetails = z
  .object({ userId: UserIdentifier, securityQuestions: z.array(z.object({ question: z.string().openapi({ example: "What was your first school?" }) })) })
  .openapi("SecurityDetails");

const Id = z.string().regex(/^[A-Za-z0-9]{1,255}$/, "Use 1 to 255 letters and digits");

export const UserId = z.object({ userId: Id.openapi({ example: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" }) });

const AttemptIdentifier = z.uuid().openapi({ example: "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80" });

export const LoginFailure = z.object({
  loginFailed: z.enum(["true", "false"]).transform((text) => text === "true").openapi({ type: "boolean", description: "Whether the password was wrong.", example: true }),
  attemptId: AttemptIdentifier.optional().openapi({ description: "The guess that this settles: a failure that is reported twice counts once." }),
});

export const LoginFailureUpdated = z
  .object({
    userId: UserIdentifier,
    responseCode: z.literal("SUCCESS"),
    response: z.string().openapi({ example: "Failed sign-in counted" }),
    loginFailedAttempts: z.int().openapi({ description: "Since the last success.", example: 2 }),
    disableUser: z.literal("true").optional().openapi({ description: "The account is locked for a while." }),
  })
  .openapi("LoginFailureResponse");

export const LoginAttempt = z.object({ username: line(320).openapi({ example: "asha.rao@example.com" }) }).openapi("LoginAttempt");

export const LoginAttemptReserved = z
  .object({
    attemptId: AttemptIdentifier,
    userId: UserIdentifier,
    username: UserIdentifier.openapi({ description: "What the identity provider is to be asked with." }),
  })
  .openapi("LoginAttemptReserved");

export const AttemptId = z.object({ userId: Id.openapi({ example: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" }), attemptId: AttemptIdentifier });
