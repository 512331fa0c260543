import { defineExtension, definePrompt, elicitUrl, McpServer } from '@jetway/core'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { js, messageOf, type Mistake } from './mistake.ts'

const INFO = { name: 'mistakes', version: '1' }
const handler = (): string => 'x'
const three = js(z3.string()) as z.ZodString

/** A mistake, the code that adds a definition to a new server, and the message without its error code. */
type Row = readonly [mistake: string, add: (server: McpServer) => unknown, says: RegExp]

const added = (group: string, rows: readonly Row[]): readonly Mistake[] =>
  rows.map(([mistake, add, says]) => ({
    group,
    mistake,
    source: 'throw',
    read: () => messageOf(() => add(new McpServer(INFO))),
    says,
  }))

const SHAPE =
  /is an object of schemas, not a schema; wrap it: z\.object\(\{ … \}\) \[ERR_MCP_SCHEMA_UNSUPPORTED\]/

export const SHAPES: readonly Mistake[] = added('an object of schemas in place of a schema', [
  [
    'server.addTool, inputSchema',
    // @ts-expect-error The compiler refuses it as well.
    (s) => s.addTool({ name: 'a', inputSchema: { city: z.string() }, handler }),
    SHAPE,
  ],
  [
    'server.addTool, outputSchema',
    // @ts-expect-error The compiler refuses it as well.
    (s) => s.addTool({ name: 'a', outputSchema: { city: z.string() }, handler: () => ({ city: 'Oslo' }) }),
    SHAPE,
  ],
  [
    'server.setTools',
    // @ts-expect-error The compiler refuses it as well.
    (s) => s.setTools([{ name: 'a', inputSchema: { city: z.string() }, handler }]),
    SHAPE,
  ],
  [
    'server.addPrompt',
    // @ts-expect-error The compiler refuses it as well.
    (s) => s.addPrompt({ name: 'a', argsSchema: { city: z.string() }, handler }),
    SHAPE,
  ],
  [
    'definePrompt',
    // @ts-expect-error The compiler refuses it as well.
    (s) => s.add(definePrompt({ name: 'a', argsSchema: { city: z.string() }, handler })),
    SHAPE,
  ],
])

export const DEFINITIONS: readonly Mistake[] = added('a definition', [
  [
    'a schema of an unsupported kind',
    (s) => s.addTool({ name: 'a', inputSchema: z.string(), handler }),
    /inputSchema of tool "a".*root must be an object.*z\.object/,
  ],
  [
    'a schema that JSON Schema cannot express',
    (s) => s.addTool({ name: 'a', inputSchema: z.object({ on: z.date() }), handler }),
    /inputSchema of tool "a".*"on"/,
  ],
  [
    'a field of zod 3 in an object of zod 4',
    (s) => s.addTool({ name: 'a', inputSchema: z.object({ days: z.array(three) }), handler }),
    /inputSchema of tool "a": at "days\[\]": it is not of zod 4.*build .* with one zod/,
  ],
  [
    'a field of zod 3 in an outputSchema',
    (s) =>
      s.addTool({ name: 'a', outputSchema: z.object({ city: three }), handler: () => ({ city: 'Oslo' }) }),
    /outputSchema of tool "a": at "city": it is not of zod 4/,
  ],
  [
    'a field of zod 3 in the arguments of a prompt',
    (s) => s.addPrompt({ name: 'a', argsSchema: z.object({ city: three }), handler }),
    /argsSchema of prompt "a": at "city": it is not of zod 4/,
  ],
  [
    'a schema with an unknown type',
    (s) => s.addTool({ name: 'a', inputSchema: { type: 'objekt' }, handler }),
    /inputSchema of tool "a"/,
  ],
  [
    'a name with a space',
    (s) => s.addTool({ name: 'get forecast', handler }),
    /"get forecast" must be 1 to 128 characters/,
  ],
  [
    'a duplicate name',
    (s) => [1, 2].forEach(() => s.addTool({ name: 'a', handler })),
    /tool "a" exists already.*replace: true/,
  ],
  [
    'a relative URI',
    (s) => s.addResource({ uri: 'cities', name: 'a', handler }),
    /resource "cities" needs an absolute URI/,
  ],
  [
    'an unclosed brace',
    (s) => s.addResourceTemplate({ uriTemplate: 'a://{b', name: 'a', handler }),
    /character 5.*never closed/,
  ],
  [
    'an icon from a file',
    (s) => s.addTool({ name: 'a', icons: [{ src: './a.png' }], handler }),
    /tool "a".*https: nor a data:/,
  ],
  [
    'a completer for an unknown argument',
    (s) => s.addPrompt({ name: 'a', complete: { city: () => [] } as never, handler }),
    /prompt "a" completes "city", which it does not have/,
  ],
  [
    'a handler that is not a function',
    (s) => s.addTool({ name: 'a', handler: 'x' as never }),
    /tool "a" needs a handler: a function of \(args, ctx\)/,
  ],
  [
    'a misspelt hint',
    (s) => s.addTool({ name: 'a', annotations: { readonly: true } as object, handler }),
    /tool "a" has an unknown member "annotations\.readonly": did you mean readOnly\?/,
  ],
  [
    'a misspelt annotation',
    (s) => s.addResource({ uri: 'a://b', name: 'a', annotations: { prioritty: 1 } as object, handler }),
    /resource "a:\/\/b" has an unknown member "annotations\.prioritty": did you mean priority\?/,
  ],
  [
    'a template with a uri, by its name',
    (s) => s.addResourceTemplate({ uri: 'a://{b}', name: 'days', handler } as never),
    /resource template "days" has an unknown member "uri": did you mean uriTemplate\?/,
  ],
  [
    'a prompt without a name',
    (s) => s.addPrompt({ nam: 'a', handler } as never),
    /^A prompt without a name has an unknown member "nam"/,
  ],
  ['no definition', (s) => s.addTool(undefined as never), /tool.*ERR_MCP_INVALID_DEFINITION/],
  ['a timeout of 0 ms', (s) => s.addTool({ name: 'a', timeoutMs: 0, handler }), /tool "a" needs a timeoutMs/],
  [
    'a Map in _meta',
    (s) => s.addTool({ name: 'a', _meta: { 'com.example/by': { name: new Map() } }, handler }),
    /tool "a" has members that JSON cannot carry: _meta\["com\.example\/by"\]\.name: is a Map; send Object\.fromEntries/,
  ],
  [
    'a bigint in _meta',
    (s) => s.addPrompt({ name: 'a', _meta: { 'com.example/size': 5n }, handler }),
    /prompt "a" has members that JSON cannot carry: .*is a bigint; send a number or a string/,
  ],
  [
    'a promise in annotations',
    (s) =>
      s.addResource({ uri: 'a://b', name: 'a', _meta: { 'com.example/x': Promise.resolve(1) }, handler }),
    /resource "a:\/\/b" has members that JSON cannot carry: .*is a promise; await it/,
  ],
  [
    'settings of an extension that JSON cannot carry',
    () =>
      new McpServer(INFO, {
        extensions: [defineExtension({ id: 'com.example/search', settings: { by: js(new Map()) } })],
      }),
    /extension com\.example\/search needs an object .* as its settings: by: is a Map; send Object\.fromEntries/,
  ],
  [
    'params of a notification that JSON cannot carry',
    () => {
      const notifications = ['notifications/com.example/found']
      const extensions = [defineExtension({ id: 'com.example/search', notifications })]
      new McpServer(INFO, { extensions }).notify.extension('com.example/search', notifications[0] ?? '', {
        by: js(new Set()),
      })
    },
    /params of notifications\/com\.example\/found must be an object .*: by: is a Set; send an array of its items/,
  ],
  [
    'a server without a version',
    () => new McpServer(js({ name: 'a' })),
    /needs \{ name, version \}: version must be a string/,
  ],
  [
    'an unknown revision',
    () => new McpServer(INFO, { revisions: js(['2025-01-01']) }),
    /choose from 2026-07-28, .*\[ERR_MCP_REVISION\]/,
  ],
  [
    'middleware of an unknown method',
    (s) =>
      s.use(
        js('tools/cal'),
        js(() => {}),
      ),
    /no method "tools\/cal"; choose from/,
  ],
  [
    'middleware that is no function',
    (s) => s.use(js('tools/call'), js('x')),
    /server\.use needs a function of \(ctx, next\)/,
  ],
  ['an unknown event', (s) => s.on(js('close'), () => {}), /server\.on takes one of .*, and a function/],
  [
    'server.add of a plain object',
    (s) => s.add(js({ name: 'a', handler })),
    /use addTool and the like for plain objects/,
  ],
  [
    'an elicitUrl with a path only',
    () => elicitUrl('Sign in', '/sign-in'),
    /elicitUrl needs an absolute https: URL/,
  ],
])

export const OFFICIAL_METHODS: readonly Mistake[] = added(
  'a method of the official SDK',
  ['tool', 'resource', 'prompt', 'registerTool', 'registerResource', 'registerPrompt'].map((method) => [
    `server.${method}`,
    (server) => (js(server) as Readonly<Record<string, () => void>>)[method]?.(),
    /server\.add(Tool|Resource|Prompt)\(\{ name, …, handler \}\) \[ERR_MCP_OPTION\]/,
  ]),
)
