import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import type { Meta, Tool } from '../../protocol/types.ts'
import type { ClientView } from '../../call/client-view.ts'
import type { CallContext } from '../../call/context.ts'
import { invalid, type Subject } from '../registry/checks.ts'
import { memoize } from '../../util/memoize.ts'
import type { ToolEntry } from '../tools/tool-call.ts'
import type { Guarded } from '../registry/visibility.ts'

export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'
export const APP_MEDIA_TYPE = 'text/html;profile=mcp-app'
/** Where the address stood before; some authors write both. */
const FLAT_URI = 'ui/resourceUri'

/** Whether a client has declared that it shows user interfaces of the kind that there is. */
function showsApps(client: ClientView): boolean {
  const types = client.extension(APPS_EXTENSION)?.['mimeTypes']
  return Array.isArray(types) && types.includes(APP_MEDIA_TYPE)
}

export function checkAppUri(subject: Subject, uri: unknown): void {
  if (typeof uri === 'string' && /^ui:\/\/./.test(uri) && URL.canParse(uri)) return
  throw invalid(
    subject,
    'needs a "ui://" URI, such as "ui://weather/dashboard", as the address of its user interface',
  )
}

/** A tool's user interface, in `_meta` where it travels, and the tool's rule with what its audience asks for. */
export interface CompiledUi {
  readonly _meta: Meta
  readonly visible: Guarded['visible']
}

/** What the extension makes of tools. Given with it, so that a server without it carries none of this. */
export interface ToolUi {
  /**
   * Reads `ui`, or `_meta.ui`, by which other frameworks say the same.
   *
   * @returns undefined for a tool without a user interface
   */
  compile(subject: Subject, definition: UiDefinition, visible: Guarded['visible']): CompiledUi | undefined
  /** Removes the user interfaces from tools; undefined for a client that shows them. */
  plainFor(client: ClientView): ((entries: readonly ToolEntry[]) => readonly ToolEntry[]) | undefined
}

export function createToolUi(): ToolUi {
  const plain = memoize((entry: ToolEntry) => ({
    ...entry,
    item: withoutUi(entry.item),
    alone: withoutUi(entry.alone),
  }))
  const allPlain = memoize((entries: readonly ToolEntry[]) =>
    entries.map((entry) => (entry.hasUi ? plain(entry) : entry)),
  )
  return { compile: uiOf, plainFor: (client) => (showsApps(client) ? undefined : allPlain) }
}

interface UiDefinition {
  readonly ui?: unknown
  readonly _meta?: Meta | undefined
}

function uiOf(
  subject: Subject,
  { ui, _meta }: UiDefinition,
  visible: Guarded['visible'],
): CompiledUi | undefined {
  const given = ui ?? _meta?.['ui']
  if (given === undefined) return undefined
  if (!isObject(given)) throw invalid(subject, 'needs an object as its ui')
  if (ui !== undefined && _meta?.['ui'] !== undefined)
    throw invalid(subject, 'says twice what its ui is, in ui and in _meta.ui')
  const { resourceUri, visibility } = given
  if (resourceUri !== undefined) checkAppUri(subject, resourceUri)
  if (!isVisibility(visibility))
    throw invalid(subject, 'needs "model", "app" or both in an array as its ui.visibility')
  const forModels = visibility === undefined || visibility.includes('model')
  return { _meta: { ..._meta, ui: given }, visible: forModels ? visible : besideApps(visible) }
}

const isVisibility = (given: unknown): given is readonly string[] | undefined =>
  given === undefined ||
  (Array.isArray(given) && given.length > 0 && given.every((it) => it === 'model' || it === 'app'))

/** A client that knows nothing of user interfaces would offer the tool to its model. */
const besideApps =
  (visible: Guarded['visible']): Guarded['visible'] =>
  (ctx: CallContext) =>
    showsApps(ctx.client) && (visible === undefined || visible(ctx))

function withoutUi(tool: Tool): Tool {
  const { _meta, ...rest } = tool
  const { ui: _ui, [FLAT_URI]: _flat, ...others }: JsonObject = _meta ?? {}
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others }
}
