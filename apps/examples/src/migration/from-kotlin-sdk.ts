import { McpServer } from '@jetway/core'
import { z } from 'zod'

// #region server
export const server = new McpServer({ name: 'weather', version: '1.0.0' })

server.addTool({
  name: 'get_alerts',
  description: 'Weather alerts of a US state',
  inputSchema: z.object({ state: z.string().describe('Two-letter code, such as CA') }),
  handler: async ({ state }) => ({
    content: (await fetchAlerts(state)).map((text) => ({ type: 'text', text })),
  }),
})

server.addPrompt({
  name: 'explain',
  description: 'Explains an alert',
  argsSchema: z.object({ alert: z.string() }),
  handler: ({ alert }) => `Explain this alert in one sentence: ${alert}`,
})
// #endregion

/** A placeholder for a call to the weather service. */
async function fetchAlerts(state: string): Promise<readonly string[]> {
  return [`Wind in ${state}`, `Rain in ${state}`]
}
