// Version of this package, told to the server in Hello.client.
export const VERSION = "0.1.0";
export const CLIENT = `arena-typescript ${VERSION}`;
export const PROTOCOL_VERSION = 1;
