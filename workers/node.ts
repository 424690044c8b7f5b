import { listenOnNode } from "./listen-node.ts";
import { startPlatform } from "./platform.ts";
import { runUntilSignal } from "./process.ts";

await runUntilSignal((closers) => startPlatform(listenOnNode, closers));
