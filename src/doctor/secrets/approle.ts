/** What a service of the platform logs in with, and the settings that have it. */
export type AppRole = {
  service: "admin" | "config";
  /** As people call the service. */
  name: string;
  /** The AppRole's name as the README has it; the login tells the true one. */
  role: string;
  roleId: string;
  secretId: string;
  settings: { roleId: string; secretId: string };
};
