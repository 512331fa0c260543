import { content, McpServer, message, messages } from '@jetway/core'
import { z } from 'zod'

// #region text
export const server = new McpServer({ name: 'desk', version: '1.0.0' })

server.addPrompt({
  name: 'summarise',
  title: 'Summarise a text',
  description: 'Asks for a summary',
  argsSchema: z.object({ text: z.string(), words: z.string().regex(/^\d+$/).transform(Number).optional() }),
  handler: ({ text, words = 50 }) => `Summarise this in at most ${words} words:\n\n${text}`,
})
// #endregion

// #region messages
server.addPrompt({
  name: 'review',
  description: 'Opens a review of a change',
  argsSchema: z.object({ diff: z.string() }),
  handler: ({ diff }) =>
    messages({
      description: 'A review that begins with the risks',
      messages: [
        message.user('Review this change. Begin with what could break.'),
        message.user(content.resource({ uri: 'review://diff', mimeType: 'text/x-diff', text: diff })),
        message.assistant('The risks, the gravest first:'),
      ],
    }),
})
// #endregion

// #region complete
const languages = ['English', 'Esperanto', 'Estonian', 'French']

server.addPrompt({
  name: 'translate',
  description: 'Asks for a translation',
  arguments: [
    { name: 'text', required: true },
    { name: 'language', description: 'The language to translate to' },
  ],
  complete: {
    language: (typed) => languages.filter((language) => language.startsWith(typed)),
  },
  handler: ({ text, language = 'English' }) => `Translate into ${language}:\n\n${text}`,
})
// #endregion

// #region state
const cities = new Map([
  ['Norway', ['Bergen', 'Oslo']],
  ['Italy', ['Bari', 'Bologna', 'Rome']],
])

server.addPrompt({
  name: 'plan_trip',
  description: 'Plans a trip to a city',
  argsSchema: z.object({ country: z.string(), city: z.string() }),
  complete: {
    country: (typed) => [...cities.keys()].filter((country) => country.startsWith(typed)),
    city: (typed, _ctx, state) => {
      const ofCountry = cities.get(state.arguments['country'] ?? '') ?? []
      return ofCountry.filter((city) => city.startsWith(typed))
    },
  },
  handler: ({ country, city }) => `Plan three days in ${city}, ${country}.`,
})
// #endregion
