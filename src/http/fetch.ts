/** How everything outside a service is reached: another app in this process, a service binding, or the network. */
export type Fetch = (request: Request) => Response | Promise<Response>;
