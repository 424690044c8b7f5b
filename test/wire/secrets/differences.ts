/** Where the embedded secrets store differs from Vault on purpose. */
export const DIFFERENCES: readonly string[] = [
  "A name of a role or a policy has the rights of both its spellings, so a `deny` is not passed in upper case",
  "What it would not keep it refuses: bound addresses, periodic and batch tokens, response wrapping, parameter rules of policies, other namespaces; a templated path in a policy matches nothing",
  "An expired secret-id is refused at once, and wrong ones lock nobody out",
  "A path has at most 1,024 characters, a name 512, a document 1,000,000 bytes, and ten versions are the most",
  "Of parallel creations of an AppRole exactly one is let in: Vault looks before it takes the role's lock, and may let in several",
];
