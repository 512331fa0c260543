import { asks, content, elicit, listRoots, type McpServer, sample, type Seen } from '@jetway/core'
import { z } from 'zod'

/** Tools that ask the client questions, with `asks` or inside the handler. */
export function addAskingTools(server: McpServer): void {
  const prompt = z.object({ prompt: z.string() })
  server.addTool({
    name: 'test_sampling',
    description: "Asks the client's model",
    inputSchema: prompt,
    asks: {
      said: (args) =>
        sample({
          messages: [{ role: 'user', content: { type: 'text', text: args.prompt } }],
          maxTokens: 100,
        }),
    },
    handler: (_args, { answers: { said } }) => {
      const [block] = [said.content].flat()
      return content.text(`LLM response: ${block?.type === 'text' ? block.text : ''}`)
    },
  })

  const message = z.object({ message: z.string() })
  server.addTool({
    name: 'test_elicitation',
    description: 'Asks a person',
    inputSchema: message,
    asks: asks(message).ask('user', (args) => elicit(args.message, USER, { declined: 'see' })),
    handler: (_args, ctx) => `User response: ${spell(ctx.answers.user)}`,
  })

  server.addTool({
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks a person with every kind of default',
    asks: { form: () => elicit('Check what is filled in', DEFAULTS, { declined: 'see' }) },
    handler: (_args, ctx) => `Elicitation completed: ${spell(ctx.answers.form)}`,
  })

  server.addTool({
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks a person with every kind of choice, in the middle of its handler',
    handler: async (_args, ctx) =>
      `Elicitation completed: ${spell(await ctx.elicit('Choose', CHOICES, { declined: 'see' }))}`,
  })

  server.addTool({
    name: 'list_client_roots',
    description: 'Asks the client where it works',
    asks: { roots: () => listRoots() },
    handler: (_args, ctx) => ctx.answers.roots.map(({ uri }) => uri),
  })
}

function spell(seen: Seen<unknown>): string {
  return `action=${seen.action}, content=${seen.action === 'accept' ? JSON.stringify(seen.content) : '{}'}`
}

const USER = z.object({
  username: z.string().describe("User's response"),
  email: z.string().describe("User's email address"),
})

const DEFAULTS = z.object({
  name: z.string().default('John Doe'),
  age: z.int().default(30),
  score: z.number().default(95.5),
  status: z.enum(['active', 'inactive', 'pending']).default('active'),
  verified: z.boolean().default(true),
})

const named = (...names: readonly string[]): { const: string; title: string }[] =>
  names.map((title, i) => ({ const: `value${i + 1}`, title }))
const plain = ['option1', 'option2', 'option3']

const CHOICES = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: plain },
    titledSingle: { type: 'string', oneOf: named('First Option', 'Second Option', 'Third Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
    titledMulti: { type: 'array', items: { anyOf: named('First Choice', 'Second Choice', 'Third Choice') } },
  },
}
