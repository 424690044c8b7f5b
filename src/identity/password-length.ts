/** How long a password may be: code points, as JSON Schema counts them. */
export const PASSWORD_LENGTH = { minLength: 15, maxLength: 128 };
