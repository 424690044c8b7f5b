import { PLATFORM } from "../command.ts";
import { journey } from "./journey.ts";

journey("Node", PLATFORM);
