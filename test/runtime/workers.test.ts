import { journey } from "./journey.ts";

journey("Workers", { file: process.execPath, args: ["workers/dev.ts"] });
