import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { McpServer, result } from '@jetway/core'
import { app, apps } from '@jetway/core/apps'
import { z } from 'zod'

const manifest = new URL('../package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

/** Built by Vite. */
const view = new URL('../dist/view/index.html', import.meta.url)

export const server = new McpServer(
  { name: '__NAME__', title: '__TITLE__', version },
  { extensions: [apps()] },
)

server.add(
  app({
    uri: 'ui://__NAME__/dice',
    name: 'dice',
    title: 'Dice',
    description: 'Shows the dice of a roll',
    html: () => readFile(view, 'utf8'),
    prefersBorder: true,
  }),
)

server.addTool({
  name: 'roll_dice',
  title: 'Roll dice',
  description: 'Rolls dice and adds them up',
  annotations: { readOnly: true, destructive: false, openWorld: false },
  ui: { resourceUri: 'ui://__NAME__/dice' },
  inputSchema: z.object({ count: z.int().min(1).max(20).default(2).describe('How many dice to roll') }),
  outputSchema: z.object({ rolls: z.array(z.int()), total: z.int() }),
  handler({ count }) {
    const rolls = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * 6))
    const total = rolls.reduce((sum, roll) => sum + roll, 0)
    // Hosts without views, and models, read the text.
    return result({ structured: { rolls, total }, content: `${rolls.join(' + ')} = ${total}` })
  },
})
