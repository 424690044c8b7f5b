/** A user as the database keeps it. */
export type User = {
  id: string;
  /** Lower case. */
  username: string;
  /** Lower case. */
  email: string | null;
  emailVerified: boolean;
  firstName: string | null;
  lastName: string | null;
  enabled: boolean;
  /** Milliseconds since the epoch. */
  createdTimestamp: number;
  requiredActions: string[];
  /** As `hashPassword` makes it. */
  password: string | null;
  /** The id of the client whose service account this is. */
  serviceAccountClient: string | null;
};

/** Keycloak lets nobody in who has an action pending or, by its default user profile, a name or e-mail missing. */
export function isFullySetUp({ firstName, lastName, email, requiredActions }: User): boolean {
  return Boolean(firstName?.trim() && lastName?.trim() && email) && requiredActions.length === 0;
}
