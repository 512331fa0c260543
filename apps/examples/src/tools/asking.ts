import {
  asks,
  elicit,
  elicitUrl,
  inputRequired,
  listRoots,
  McpServer,
  QuestionError,
  sample,
  UrlElicitationRequired,
} from '@jetway/core'
import { z } from 'zod'

// #region declared
/** A stand-in for a file system: the files in each folder, keyed by the folder's path. */
const folders = new Map([
  ['empty', []],
  ['photos', ['a.jpg', 'b.jpg']],
])

export const server = new McpServer({ name: 'asking', version: '1.0.0' })

server.addTool({
  name: 'delete_folder',
  description: 'Deletes a folder',
  inputSchema: z.object({ path: z.string() }),
  asks: {
    confirm: ({ path }) => {
      const files = folders.get(path)?.length ?? 0
      return files === 0
        ? { ok: true }
        : elicit(`Delete ${files} files in ${path}?`, z.object({ ok: z.boolean() }))
    },
  },
  handler: ({ path }, ctx) => {
    if (!ctx.answers.confirm.ok) return 'Kept'
    return folders.delete(path) ? `Deleted ${path}` : `There is no ${path}`
  },
})
// #endregion

// #region chained
const trip = z.object({ city: z.string() })

server.addTool({
  name: 'book_trip',
  description: 'Books a trip',
  inputSchema: trip,
  handler: ({ city }, { answers: { when, sure } }) =>
    sure.action === 'accept' ? `${city} on ${when.day}` : 'Nothing was booked',
  asks: asks(trip)
    .ask('when', ({ city }) => elicit(`When to ${city}?`, z.object({ day: z.iso.date() })))
    .ask('sure', ({ city }, ctx) =>
      elicit(`Book ${city} on ${ctx.answers.when.day}?`, z.object({}), { declined: 'see' }),
    ),
})
// #endregion

// #region required
const mailboxes = new Map<string, string>()

server.addTool({
  name: 'count_mails',
  description: 'Counts the mails of the user',
  handler: (_args, { auth }) => {
    const mailbox = mailboxes.get(auth?.principal ?? '')
    if (mailbox !== undefined) return `${mailbox} has 3 mails`
    throw new UrlElicitationRequired(
      elicitUrl('Connect your mailbox', (id) => `https://mail.example.com/connect?e=${id}`),
    )
  },
})

/** Called by the page at the URL, after it has identified the user and the user has finished. */
export function connected(principal: string, mailbox: string, elicitationId: string): void {
  mailboxes.set(principal, mailbox)
  server.completeElicitation(elicitationId)
}
// #endregion

// #region others
server.addTool({
  name: 'connect_bank',
  description: 'Connects the bank of the user',
  asks: { opened: () => elicitUrl('Sign in to your bank', 'https://bank.example.com/connect') },
  handler: () => 'The user was sent to the bank',
})

server.addTool({
  name: 'summarise',
  description: "Has the client's model sum up a text",
  inputSchema: z.object({ text: z.string() }),
  asks: {
    summary: ({ text }) =>
      sample({
        messages: [{ role: 'user', content: { type: 'text', text: `Sum up: ${text}` } }],
        maxTokens: 200,
      }),
    roots: () => listRoots(),
  },
  handler: (_args, { answers }) => ({ said: answers.summary.content, roots: answers.roots.length }),
})
// #endregion

// #region default
server.addTool({
  name: 'export_photos',
  description: 'Exports the photos',
  asks: {
    as: (_args, { client }) =>
      client.supports('elicitation')
        ? elicit('Which format?', z.object({ format: z.enum(['jpg', 'png']) }))
        : { format: 'jpg' },
  },
  handler: (_args, { answers }) => `Exported as ${answers.as.format}`,
})
// #endregion

// #region loop
const guess = z.object({ number: z.int().min(1).max(9) })

server.addTool({
  name: 'guess_my_number',
  description: 'A game for the user',
  handler: (_args, { inputs }) => {
    const tries = Number(inputs.state ?? '0')
    const last = inputs.get(`try ${tries}`, guess)
    if (last?.number === 7) return `Right, after ${tries} tries`
    const hint = last === undefined ? 'A number from 1 to 9?' : `Not ${last.number}. Again?`
    return inputRequired({ [`try ${tries + 1}`]: elicit(hint, guess) }, { state: String(tries + 1) })
  },
})
// #endregion

// #region now
server.addTool({
  name: 'rename_photos',
  description: 'Renames photos one after the other',
  async handler(_args, ctx) {
    const names: string[] = []
    for (const file of folders.get('photos') ?? []) {
      try {
        names.push((await ctx.elicit(`A name for ${file}?`, z.object({ name: z.string() }))).name)
      } catch (error) {
        if (error instanceof QuestionError && error.reason === 'declined') break
        throw error
      }
    }
    return names
  },
})
// #endregion
