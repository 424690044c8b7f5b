import { journey } from "./journey.ts";

journey("Node", { file: process.execPath, args: ["workers/node.ts"] });
