import { z } from "@hono/zod-openapi";
import { NewPassword } from "../identity/password.ts";
import { emailKey } from "./email.ts";

const ContactNumber = z
  .string()
  .regex(/^[6-9][0-9]{9}$/, "Use ten digits, the first from 6 to 9")
  .openapi({ example: "9876543210" });

const Name = z.string().regex(/^[A-Za-z]+$/, "Use letters only").max(100, "Use at most 100 characters");

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, "Must not be empty")
    .max(max, `Use at most ${max} characters`)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "Must not have control characters");

export const Register = z
  .object({
    firstName: Name.openapi({ example: "Asha" }),
    lastName: Name.openapi({ example: "Rao" }),
    emailId: z
      .string()
      .trim()
      .max(320, "Use at most 320 characters")
      .refine((text) => emailKey(text) !== undefined, "Use a valid e-mail address")
      .openapi({ example: "asha.rao@example.com", format: "email" }),
    password: NewPassword.openapi({ example: "Correct-Horse-7-Battery", format: "password", minLength: 15, maxLength: 128 }),
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
    userId: z.string().openapi({ example: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" }),
    responseMessage: z.string().openapi({ example: "User registered" }),
    responseCode: z.literal("USER_CREATED_201"),
  })
  .openapi("RegistrationResponse");

const AddressType = z.enum(["PERMANENT", "RESIDENTIAL", "OFFICE"]);

const Address = z
  .object({
    addressLine1: line(255).openapi({ example: "12 Lake View Road" }),
    addressLine2: line(255).optional(),
    city: line(100).openapi({ example: "Pune" }),
    state: line(100).openapi({ example: "Maharashtra" }),
    pinCode: line(16).openapi({ example: "411001" }),
    country: line(100).optional().openapi({ example: "India" }),
    addressType: AddressType,
  })
  .openapi("Address");

export const Update = z
  .object({
    isLockUser: z.boolean().nullish().openapi({ description: "True locks the user; false unlocks, for ROLE_ADMIN." }),
    updateContactDto: z.object({ contactNumber: ContactNumber, isPrimary: z.boolean().nullish() }).nullish(),
    updateAddressDto: Address.nullish(),
  })
  .openapi("UserUpdateDto");

export const Updated = z
  .object({ userId: z.string(), responseMessage: z.string(), responseCode: z.literal("USER_UPDATED_200") })
  .openapi("UserUpdateResponse");

const Step = z.enum(["BASIC_DETAILS_ADDED", "ADDRESS_ADDED", "SECURITY_CREDENTIALS_ADDED"]);

export const Profile = z
  .object({
    userId: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    emailId: z.string(),
    primaryContactNumber: z.string(),
    status: z.enum(["ACTIVE", "BLOCKED", "DORMANT"]),
    isLockUser: z.boolean(),
    contacts: z.array(z.object({ contactNumber: z.string(), type: z.enum(["PRIMARY", "SECONDARY", "OTHERS"]), isVerified: z.boolean() })),
    addresses: z.array(Address),
    registration: z.object({
      status: z.enum(["REGISTRATION_IN_PROGRESS", "REGISTRATION_COMPLETE"]),
      lastStepCompleted: Step,
      nextStep: Step.nullable(),
    }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .openapi("UserDetails");

export const UpdateSecurityDetails = z
  .object({
    securityQuestions: z
      .array(z.object({ question: line(255).openapi({ example: "What was your first school?" }), answer: line(255) }))
      .min(1, "Give at least one question")
      .max(10, "Give at most 10 questions")
      .refine((all) => new Set(all.map(({ question }) => question)).size === all.length, "Ask each question once"),
  })
  .openapi("UpdateSecurityDetailsDto");

export const SecurityDetailsUpdated = z
  .object({ userId: z.string(), response: z.string(), responseCode: z.literal("SECURITY_DETAILS_UPDATED_200") })
  .openapi("SecurityDetailsResponse");

export const SecurityDetails = z
  .object({ userId: z.string(), securityQuestions: z.array(z.object({ question: z.string() })) })
  .openapi("SecurityDetails");

const Id = z.string().regex(/^[A-Za-z0-9]{1,255}$/, "Use 1 to 255 letters and digits");

export const UserId = z.object({ userId: Id.openapi({ example: "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6" }) });

export const LoginFailure = z.object({
  loginFailed: z.enum(["true", "false"]).transform((text) => text === "true").openapi({ type: "boolean" }),
  attemptId: z.uuid().optional().openapi({ description: "Counts a failure that is reported twice once." }),
});

export const LoginFailureUpdated = z
  .object({
    userId: z.string(),
    responseCode: z.literal("SUCCESS"),
    response: z.string(),
    loginFailedAttempts: z.int(),
    disableUser: z.literal("true").optional().openapi({ description: "The account is locked for a while." }),
  })
  .openapi("LoginFailureResponse");

export const LoginAttempt = z.object({ username: line(320) }).openapi("LoginAttempt");

export const LoginAttemptReserved = z
  .object({ attemptId: z.uuid(), userId: z.string(), username: z.string() })
  .openapi("LoginAttemptReserved");

export const AttemptId = z.object({ userId: Id, attemptId: z.uuid() });
