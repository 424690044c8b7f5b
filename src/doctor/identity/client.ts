/** One of the platform's clients at the identity provider, and the setting that has its secret. */
export type OwnClient = { service: "auth" | "users" | "admin"; id: string; secret: string; setting: string };
