// Prints what the administration service's own AppRole has to be allowed at a real secrets store: `npm run policies:admin`.
import { bundledPolicies } from "../src/admin/policies/bundled.ts";
import { platformPolicies } from "../src/secrets/platform-policies.ts";

console.log(platformPolicies(Object.keys(bundledPolicies))["platform-admin"]);
