/**
 * The setting that a property is, by Spring's relaxed binding the other way round: `legacy.get-login`, `legacy.getLogin`
 * and `LEGACY_GET_LOGIN` are all `LEGACY_GET_LOGIN`, and `hosts[0]` is `HOSTS_0`.
 */
export function settingName(property: string): string {
  const words = property.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll(/[^A-Za-z0-9]+/g, "_");
  return words.replaceAll(/^_|_$/g, "").toUpperCase();
}
