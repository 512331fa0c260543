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
}

/** A server with every feature. The public conformance suite and the matrix of official clients test it. */
export function createEverythingServer({ misbehaving, ...options }: EverythingOptions = {}): McpServer {
  const server = new McpServer(
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
  addContentTools(server)
  addReportingTools(server)
  addSchemaTools(server)
  addRoutedTool(server)
  addCallTools(server)
  addAskingTools(server)
  addDiagnosticTools(server)
  addTaskTools(server)
  addAppTools(server)
  addRegistryTools(server)
  addResources(server)
  addResourceTemplates(server)
  addPrompts(server)
  // This resource and this prompt ask the client questions, so they are listed after those that return
  // immediately.
  addRoundTools(server)
  if (misbehaving) addMisbehaving(server)
  return server
}
