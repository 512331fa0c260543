import { nearestName, type OptionNames } from '../util/check-options.ts'
import type { AnyPrompt } from './prompts/prompt-types.ts'
import type { AnyResource, AnyResourceTemplate } from './resources/resource-types.ts'
import type { AnyTool } from './tools/tool-types.ts'
import { type DisplayFields, invalid, type Subject } from './registry/checks.ts'

/** The members of one kind of definition. */
interface MemberNames {
  readonly known: object
  /** The names used for each member in other frameworks. */
  readonly synonyms: Readonly<Record<string, string>>
}

const DISPLAY: OptionNames<DisplayFields> = { title: 1, description: 1, icons: 1, _meta: 1 }

const TOOL: OptionNames<AnyTool> = {
  ...DISPLAY,
  name: 1,
  inputSchema: 1,
  outputSchema: 1,
  wrapOutput: 1,
  handler: 1,
  annotations: 1,
  asks: 1,
  visible: 1,
  scopes: 1,
  timeoutMs: 1,
  strictInput: 1,
  validateOutput: 1,
  maxResultBytes: 1,
  taskSupport: 1,
  immediateResponse: 1,
  ui: 1,
  priority: 1,
  relatedTools: 1,
  cacheControl: 1,
}

const READ: OptionNames<Omit<AnyResource, 'uri' | 'size'>> = {
  ...DISPLAY,
  name: 1,
  handler: 1,
  mimeType: 1,
  annotations: 1,
  timeoutMs: 1,
  onSubscribe: 1,
  onUnsubscribe: 1,
  cache: 1,
  visible: 1,
  scopes: 1,
}
const RESOURCE: OptionNames<AnyResource> = { ...READ, uri: 1, size: 1 }
const TEMPLATE: OptionNames<AnyResourceTemplate> = { ...READ, uriTemplate: 1, complete: 1, list: 1 }

const PROMPT: OptionNames<AnyPrompt> = {
  ...DISPLAY,
  name: 1,
  argsSchema: 1,
  arguments: 1,
  complete: 1,
  handler: 1,
  timeoutMs: 1,
  visible: 1,
  scopes: 1,
}

/**
 * The names of the handler in other frameworks: `execute` in AI SDK, FastMCP and Mastra, `run` in Anthropic's
 * SDK, `func` in LangChain and `cb` in mcp-use.
 */
const FUNCTIONS = {
  execute: 'handler',
  run: 'handler',
  callback: 'handler',
  cb: 'handler',
  fn: 'handler',
  func: 'handler',
  load: 'handler',
  read: 'handler',
}

/** The member names by the kind of the definition. */
const MEMBERS: Readonly<Record<string, MemberNames>> = {
  tool: {
    known: TOOL,
    synonyms: {
      ...FUNCTIONS,
      parameters: 'inputSchema',
      input: 'inputSchema',
      schema: 'inputSchema',
      args: 'inputSchema',
      argsSchema: 'inputSchema',
      output: 'outputSchema',
      canAccess: 'visible',
    },
  },
  resource: { known: RESOURCE, synonyms: FUNCTIONS },
  'resource template': { known: TEMPLATE, synonyms: { ...FUNCTIONS, template: 'uriTemplate' } },
  prompt: {
    known: PROMPT,
    synonyms: {
      ...FUNCTIONS,
      inputSchema: 'argsSchema',
      parameters: 'argsSchema',
      schema: 'argsSchema',
      args: 'argsSchema',
    },
  },
}

/**
 * Refuses a field that is most likely a wrong name for a missing one. Any other field belongs to the author: a
 * definition may be an instance of a class, or contain data for the author's middleware.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION`
 */
export function checkMembers(subject: Subject, definition: object): void {
  const { known, synonyms } = MEMBERS[subject.kind] as MemberNames
  const members = definition as Readonly<Record<string, unknown>>
  if (subject.kind === 'resource') checkIsNoTemplate(members)
  for (const name of Object.keys(members)) {
    if (Object.hasOwn(known, name) || members[name] === undefined) continue
    const synonym = Object.hasOwn(synonyms, name) ? synonyms[name] : undefined
    const meant = synonym ?? nearestName(name, Object.keys(known))
    if (meant === undefined || members[meant] !== undefined) continue
    const advice = synonym === undefined ? `did you mean ${meant}?` : `in Jetway its name is ${meant}`
    throw invalid(subject, `has an unknown member ${JSON.stringify(name)}: ${advice}`)
  }
}

function checkIsNoTemplate({ uri, uriTemplate = uri }: Readonly<Record<string, unknown>>): void {
  // A URI cannot contain braces: https://www.rfc-editor.org/rfc/rfc3986#section-2
  if (typeof uriTemplate !== 'string' || !uriTemplate.includes('{')) return
  const advice = 'is a URI template: register it with addResourceTemplate, as uriTemplate'
  throw invalid({ kind: 'resource', name: uriTemplate }, advice)
}
