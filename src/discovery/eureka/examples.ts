const CLASS = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo";

export const INSTANCE_EXAMPLE = {
  instanceId: "orders-1:orders:9000",
  hostName: "orders-1",
  app: "ORDERS",
  ipAddr: "192.0.2.7",
  status: "UP" as const,
  overriddenStatus: "UNKNOWN" as const,
  port: { $: 9000, "@enabled": "true" },
  securePort: { $: 443, "@enabled": "false" },
  countryId: 1,
  dataCenterInfo: { "@class": CLASS, name: "MyOwn" },
  leaseInfo: { renewalIntervalInSecs: 30, durationInSecs: 90, registrationTimestamp: 1795224406500, lastRenewalTimestamp: 1795224436500, evictionTimestamp: 0, serviceUpTimestamp: 1795224406500 },
  metadata: { zone: "z1" },
  homePageUrl: "http://orders-1:9000/",
  statusPageUrl: "http://orders-1:9000/actuator/info",
  healthCheckUrl: "http://orders-1:9000/actuator/health",
  vipAddress: "orders",
  secureVipAddress: "orders",
  isCoordinatingDiscoveryServer: "false",
  lastUpdatedTimestamp: "1795224406500",
  lastDirtyTimestamp: "1795224406440",
  actionType: "ADDED",
};

const application = { name: "ORDERS", instance: [INSTANCE_EXAMPLE] };

export const JSON_LIST_EXAMPLE = { applications: { versions__delta: "7", apps__hashcode: "UP_1_", application: [application] } };

export const APPLICATION_EXAMPLE = { application };

export const XML_INSTANCE_EXAMPLE =
  "<instance><instanceId>orders-1:orders:9000</instanceId><hostName>orders-1</hostName><app>ORDERS</app><ipAddr>192.0.2.7</ipAddr><status>UP</status>" +
  '<overriddenstatus>UNKNOWN</overriddenstatus><port enabled="true">9000</port><securePort enabled="false">443</securePort><countryId>1</countryId>' +
  `<dataCenterInfo class="${CLASS}"><name>MyOwn</name></dataCenterInfo>` +
  "<leaseInfo><renewalIntervalInSecs>30</renewalIntervalInSecs><durationInSecs>90</durationInSecs></leaseInfo>" +
  "<metadata><zone>z1</zone></metadata><vipAddress>orders</vipAddress></instance>";

export const XML_APPLICATION_EXAMPLE = `<application><name>ORDERS</name>${XML_INSTANCE_EXAMPLE}</application>`;

export const XML_LIST_EXAMPLE = `<applications><versions__delta>7</versions__delta><apps__hashcode>UP_1_</apps__hashcode>${XML_APPLICATION_EXAMPLE}</applications>`;
