import { sourceOf } from '@jetway/compose'
import { McpServer, type ServerOptions, tasks } from '@jetway/core'
import { apps } from '@jetway/core/apps'
import { addAppTools } from './tools/app-tools.ts'
import { addAskingTools } from './tools/asking-tools.ts'
import { addCallTools } from './tools/call-tools.ts'
import { addContentTools } from './tools/content-tools.ts'
import { addDiagnosticTools } from './tools/diagnostic-tools.ts'
import { addMisbehaving } from './misbehaving.ts'
import { addPrompts } from './prompts.ts'
import { addRegistryTools } from './tools/registry-tools.ts'
import { addReportingTools } from './tools/reporting-tools.ts'
import { addResources, addResourceTemplates } from './resources.ts'
import { addRoundTools } from './tools/round-tools.ts'
import { addRoutedTool, addSchemaTools } from './tools/schema-tools.ts'
import { createSkills } from './skills.ts'
import { addTaskTools } from './tools/task-tools.ts'

export interface EverythingOptions extends Pick<
  ServerOptions,
  'limits' | 'logger' | 'requestState' | 'revisions' | 'shared'
> {
  /** Whether to add handlers that throw, hang, or return values that cannot be sent. */
  readonly misbehaving?: boolean
  /** Whether the features belong to a second server, which this one observes. */
  readonly composed?: boolean
}

/**
 * A server with every feature. The public conformance suite and the matrix of official clients test it, both
 * alone and composed.
 */
export function createEverythingServer({
  misbehaving,
  composed,
  ...options
}: EverythingOptions = {}): McpServer {
  const server = createBareServer(options)
  const owner = composed === true ? createBareServer(options) : server
  if (owner !== server) server.observe(sourceOf(owner))
  addContentTools(owner)
  addReportingTools(owner)
  addSchemaTools(owner)
  addRoutedTool(owner)
  addCallTools(owner)
  addAskingTools(owner)
  addDiagnosticTools(owner)
  addTaskTools(owner)
  addAppTools(owner)
  addRegistryTools(owner)
  addResources(owner)
  addResourceTemplates(owner)
  addPrompts(owner)
  // This resource and this prompt ask the client questions, so they are listed after those that return
  // immediately.
  addRoundTools(owner)
  if (misbehaving) addMisbehaving(owner)
  return server
}

function createBareServer(options: ServerOptions): McpServer {
  return new McpServer(
    {
      name: 'everything',
      version: '1.0.0',
      title: 'Everything',
      description: 'Every feature in one server',
      websiteUrl: 'https://example.com/everything',
      icons: [{ src: 'https://example.com/everything.png', mimeType: 'image/png' }],
    },
    {
      ...options,
      instructions: 'A server for tests: nothing here is of use.',
      extensions: [apps(), createSkills(), tasks()],
    },
  )
}
