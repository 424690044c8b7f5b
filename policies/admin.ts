// Prints what the administration service's own AppRole has to be allowed at a real secrets store: `npm run policies:admin`.
import { bundledPolicies } from "../src/admin/policies/bundled.ts";
import { adminPolicy } from "../src/secrets/embedded/admin-policy.ts";

const policies = Object.keys(bundledPolicies).map((service) => `${service}-policy`);
console.log(adminPolicy({ policies, platformRoles: ["admin-service", "config-server"] }));
