import { type McpServer, ToolError } from '@jetway/core'
import { z } from 'zod'

const Named = z.object({ name: z.string().regex(/^[a-z0-9_]{1,40}$/) })

/**
 * The maximum number of added features. It is limited because anyone may call these tools, and could fill the
 * server's memory.
 */
const MOST_ADDED = 200

/** Tools that add and remove features at run time. Every client is notified of the changes. */
export function addRegistryTools(server: McpServer): void {
  const added = new Set<string>()
  const remember = (key: string): void => {
    if (added.has(key)) throw new ToolError('It is there already')
    if (added.size >= MOST_ADDED) throw new ToolError('Too many have been added: remove some')
    added.add(key)
  }
  addToolSwitch(server, added, remember)
  addResourceSwitch(server, added, remember)
  addPromptSwitch(server, added, remember)

  server.addTool({
    name: 'touch_watched_resource',
    description: 'Announces that test://watched-resource has changed',
    handler: () => server.notify.resourceUpdated('test://watched-resource'),
  })
}

type Remember = (key: string) => void

function addToolSwitch(server: McpServer, added: Set<string>, remember: Remember): void {
  server.addTool({
    name: 'add_tool',
    description: 'Adds a tool that answers with its own name',
    inputSchema: Named,
    handler({ name }) {
      remember(`tool ${name}`)
      server.addTool({
        name: `added_${name}`,
        description: 'Added while the server runs',
        handler: () => name,
      })
      return `Added added_${name}`
    },
  })
  server.addTool({
    name: 'remove_tool',
    description: 'Removes a tool that add_tool has added',
    inputSchema: Named,
    handler: ({ name }) =>
      added.delete(`tool ${name}`) ? String(server.removeTool(`added_${name}`)) : 'false',
  })
}

function addResourceSwitch(server: McpServer, added: Set<string>, remember: Remember): void {
  server.addTool({
    name: 'add_resource',
    description: 'Adds a resource whose content is its own name',
    inputSchema: Named,
    handler({ name }) {
      remember(`resource ${name}`)
      server.addResource({ uri: `added://${name}`, name: `added_${name}`, handler: () => name })
      return `Added added://${name}`
    },
  })
  server.addTool({
    name: 'remove_resource',
    description: 'Removes a resource that add_resource has added',
    inputSchema: Named,
    handler: ({ name }) =>
      added.delete(`resource ${name}`) ? String(server.removeResource(`added://${name}`)) : 'false',
  })
}

function addPromptSwitch(server: McpServer, added: Set<string>, remember: Remember): void {
  server.addTool({
    name: 'add_prompt',
    description: 'Adds a prompt whose text is its name',
    inputSchema: Named,
    handler({ name }) {
      remember(`prompt ${name}`)
      server.addPrompt({
        name: `added_${name}`,
        description: 'Added while the server runs',
        handler: () => name,
      })
      return `Added added_${name}`
    },
  })
  server.addTool({
    name: 'remove_prompt',
    description: 'Removes a prompt that add_prompt has added',
    inputSchema: Named,
    handler: ({ name }) =>
      added.delete(`prompt ${name}`) ? String(server.removePrompt(`added_${name}`)) : 'false',
  })
}
