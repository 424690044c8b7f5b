import { worker } from "../command.ts";
import { journey } from "./journey.ts";

journey("Workers", worker("dev"));
