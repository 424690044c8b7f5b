import { Redis } from "@upstash/redis/cloudflare";
