import { deno } from "../deno.ts";
import { journey } from "./journey.ts";

journey("Deno", { file: deno.command, args: [...deno.run, "workers/deno.ts"] });
