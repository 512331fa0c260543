import type { Mistake } from './mistake.ts'
import { compilerMessages } from './compiler.ts'

const ROWS: readonly (readonly [mistake: string, code: string, says: RegExp])[] = [
  [
    'an argument that the schema lacks',
    "server.addTool({ name: 'a', inputSchema: z.object({ city: z.string() }), handler: ({ town }) => town })",
    /^Property 'town' does not exist on type '\{ city: string; \}'\.$/,
  ],
  [
    'an argument without a schema',
    "server.addTool({ name: 'a', handler: ({ city }: { city: string }) => city })",
    /city/,
  ],
  [
    'a variable that the template lacks',
    "server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: ({ c }) => c })",
    /^Property 'c' does not exist on type '\{ b: string; \}'\.$/,
  ],
  [
    'an optional argument that is used as if it were there',
    "server.addTool({ name: 'a', inputSchema: z.object({ b: z.string().optional() }), handler: ({ b }) => b.length })",
    /^'b' is possibly 'undefined'\.$/,
  ],
  [
    'a value that the outputSchema does not allow',
    "server.addTool({ name: 'a', outputSchema: z.object({ high: z.number() }), handler: () => ({ high: 'x' }) })",
    /Type 'string' is not assignable to type 'number'\.$/,
  ],
  [
    'a level of the console in ctx.log',
    "server.addTool({ name: 'a', handler: (_args, ctx) => ctx.log.warn('x') })",
    /^Property 'warn' does not exist on type 'LogSender'\.$/,
  ],
  [
    'ctx.app of a server without a lifespan',
    "server.addTool({ name: 'a', handler: (_args, ctx) => ctx.app.db })",
    /^'ctx\.app' is of type 'unknown'\.$/,
  ],
  [
    'a change of ctx',
    "server.addTool({ name: 'a', handler: (_args, ctx) => void (ctx.uri = 'x') })",
    /^Cannot assign to 'uri' because it is a read-only property\.$/,
  ],
  [
    'answers without asks',
    "server.addTool({ name: 'a', handler: (_args, ctx) => ctx.answers.sure })",
    /^Property 'sure' does not exist on type 'NoAsksAboveHandler'\.$/,
  ],
  [
    'a mount without the locals that the server declares',
    'mcp({ server: typed })',
    /Property 'locals' is missing in type .* but required in type/,
  ],
  [
    'a question with an object of schemas',
    "elicit('Sure?', { ok: z.boolean() })",
    /This is an object of schemas, not a schema: wrap it in z\.object\(\{ … \}\)/,
  ],
  [
    'a prompt with an object of schemas',
    "definePrompt({ name: 'a', argsSchema: { city: z.string() }, handler: () => 'x' })",
    /This is an object of schemas, not a schema: wrap it in z\.object\(\{ … \}\)/,
  ],
  [
    'a list of tools with an object of schemas',
    "server.setTools([{ name: 'a', inputSchema: { city: z.string() }, handler: () => 'x' }])",
    /This is an object of schemas, not a schema: wrap it in z\.object\(\{ … \}\)/,
  ],
  [
    'a misspelt option of a mount',
    "toFetch(server, { alowedHosts: ['x'] })",
    /Did you mean to write 'allowedHosts'\?$/,
  ],
]

export const COMPILED: readonly Mistake[] = ROWS.map(([mistake, code, says]) => ({
  group: 'a mistake that only the compiler sees',
  mistake,
  source: 'compile',
  read: () => compilerMessages(ROWS.map(([, piece]) => piece)).get(code) ?? '',
  says,
}))
