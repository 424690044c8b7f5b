import { expect, test } from "vitest";
import { nameFindings } from "../../src/doctor/settings/names.ts";

test("a secret-id that provisioning was interrupted with is not to be removed", () => {
  const found = nameFindings({ environment: [], inFile: ["PROVISION_ADMIN_SERVICE_SECRET_ID"], file: "settings.env" });
  expect(found).toMatchObject([{ code: "names", status: "ok" }]);
});
