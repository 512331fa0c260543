import { invalidParams, type McpServer } from '@jetway/core'
import { z } from 'zod'
import { completeCity, findCity } from './cities.ts'

export function addBriefingPrompt(server: McpServer): void {
  server.addPrompt({
    name: 'briefing',
    title: 'Morning briefing',
    description: 'Asks for a short weather briefing of a city',
    argsSchema: z.object({ city: z.string().describe('Name of a city, such as Denver') }),
    complete: { city: completeCity },
    handler({ city }) {
      const place = findCity(city)
      if (place === undefined)
        throw invalidParams('No city of this name; the resource weather://cities lists them')
      return [
        `Write a morning weather briefing for ${place.name}, in at most five sentences.`,
        `Call get_forecast with the city "${place.name}" and 1 day, and get_alerts with the state ${place.state}.`,
        'Begin with any alert that concerns the city; then say what to wear, and whether to take an umbrella.',
      ].join('\n')
    },
  })
}
