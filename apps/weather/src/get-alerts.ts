import { content, type McpServer, result } from '@jetway/core'
import { z } from 'zod'
import { isState } from './states.ts'
import { Alert, type WeatherSource } from './weather-source.ts'

const State = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'Give the two letters of a US state, such as CA')
  .toUpperCase()
  .refine(isState, 'No US state or territory has this code')
  .describe('Two-letter code of a US state, such as CA or NY')

export function addGetAlerts(server: McpServer, source: WeatherSource): void {
  server.addTool({
    name: 'get_alerts',
    title: 'Weather alerts',
    description: 'The weather alerts in force in a US state',
    inputSchema: z.object({ state: State }),
    outputSchema: z.object({ state: z.string(), alerts: z.array(Alert) }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
    async handler({ state }, ctx) {
      const alerts = await source.alerts(state, ctx.signal)
      const texts = alerts.length > 0 ? alerts.map(describe) : [`No weather alerts are in force in ${state}.`]
      return result({ content: texts.map((text) => content.text(text)), structured: { state, alerts } })
    },
  })
}

/** An alert as text. */
function describe({ event, severity, area, headline, description, instruction }: Alert): string {
  const lines = [`${event} (${severity}): ${headline}`, `Where: ${area}`, description]
  if (instruction !== null) lines.push(`What to do: ${instruction}`)
  return lines.join('\n')
}
