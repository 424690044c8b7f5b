// One person throughout, whom a reader registers, signs in as and looks at.
const userId = "USR01KAJ4Y8R5T3M1N6P8Q0V2X4Z6";
const name = { firstName: "Asha", lastName: "Rao" };
const emailId = "asha.rao@example.com";
const primaryContactNumber = "9876543210";
const question = "What was your first school?";

const address = {
  addressLine1: "12 Lake View Road",
  addressLine2: "Flat 4",
  city: "Pune",
  state: "Maharashtra",
  pinCode: "411001",
  country: "India",
  addressType: "PERMANENT" as const,
};

export const registration = { ...name, emailId, password: "Correct-Horse-7-Battery", primaryContactNumber };

export const registered = { userId, responseMessage: "User registered", responseCode: "USER_CREATED_201" as const };

export const profile = {
  userId,
  ...name,
  emailId,
  primaryContactNumber,
  status: "ACTIVE" as const,
  isLockUser: false,
  contacts: [
    { contactNumber: primaryContactNumber, type: "PRIMARY" as const, isVerified: false },
    { contactNumber: "8123456789", type: "SECONDARY" as const, isVerified: false },
  ],
  addresses: [address],
  registration: { status: "REGISTRATION_IN_PROGRESS" as const, lastStepCompleted: "ADDRESS_ADDED" as const, nextStep: "SECURITY_CREDENTIALS_ADDED" as const },
  createdAt: "2026-11-21T09:30:00.000Z",
  updatedAt: "2026-11-21T09:42:17.000Z",
};

export const updates = {
  address: { summary: "Add or replace an address: one of each type", value: { updateAddressDto: address } },
  contact: { summary: "Add a contact number", value: { updateContactDto: { contactNumber: "8123456789", isPrimary: false } } },
  lock: { summary: "Lock the user, as after a stolen phone", value: { isLockUser: true } },
};

export const updated = { userId, responseMessage: "User updated", responseCode: "USER_UPDATED_200" as const };

export const securityAnswers = { securityQuestions: [{ question, answer: "Lakeside" }] };

export const securityQuestions = { userId, securityQuestions: [{ question }] };

export const securityQuestionsSet = { userId, response: "Security questions set", responseCode: "SECURITY_DETAILS_UPDATED_200" as const };

export const loginFailures = {
  counted: {
    summary: "A failure was counted",
    value: { userId, responseCode: "SUCCESS" as const, response: "Failed sign-in counted", loginFailedAttempts: 2 },
  },
  locked: {
    summary: "The fifth failure: the account is locked for a while",
    value: { userId, responseCode: "SUCCESS" as const, response: "Failed sign-in counted", loginFailedAttempts: 5, disableUser: "true" as const },
  },
};

export const attempt = { username: emailId };

export const reservedAttempt = { attemptId: "0b6f9a4e-8a53-4c1e-9d3f-5d2b7a1c9e80", userId, username: userId };
