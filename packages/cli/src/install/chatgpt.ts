/** ChatGPT has no configuration file. See https://developers.openai.com/apps-sdk/deploy/connect-chatgpt. */
export const CHATGPT_STEPS = `ChatGPT connects to servers at an HTTPS URL that it can reach. In ChatGPT:
1. Settings, Apps & Connectors, Advanced settings: turn on the developer mode.
2. Settings, Apps & Connectors, Create: give the name and the URL of the server, such as https://example.com/mcp.
3. In a chat: +, More, and choose the server.`
