import { expect, it } from 'vitest'
import { checkNode } from '../../../src/doctor/local/node.ts'
import { folderWith } from '../support/programs.ts'

/** Returns a fake Node.js that prints this text as its version. */
const printing = (text: string): string => `#!/bin/sh\necho '${text}'\n`

const FILES = {
  'bin/old': printing('v20.1.0 false'),
  'bin/new': printing('v24.1.0 true'),
  'bin/other': printing('1.2.3'),
  'bin/failing': '#!/bin/sh\necho v24.1.0 true\nexit 1\n',
  'newer/package.json': '{"engines":{"node":">=22.12"}}',
  'unclear/package.json': '{"engines":{"node":"latest"}}',
  'number/package.json': '{"engines":{"node":99}}',
  'none/package.json': '{"engines":{}}',
  'without/package.json': '{}',
}
const NO_VERSION = 'does not print its version'

it.each<readonly [node: string, script: string, loader: boolean, object]>([
  ['none', 'server.js', false, { verdict: 'fault', evidence: `~/bin/none ${NO_VERSION}` }],
  ['other', 'server.js', false, { verdict: 'fault', evidence: `~/bin/other ${NO_VERSION}` }],
  ['failing', 'server.js', false, { verdict: 'fault', evidence: `~/bin/failing ${NO_VERSION}` }],
  [
    'old',
    'without/server.ts',
    false,
    { verdict: 'fault', evidence: '~/without/server.ts is TypeScript, which Node.js 20.1.0 does not run' },
  ],
  ['old', 'without/server.mtsx', false, { verdict: 'fault' }],
  ['old', 'without/server.ts', true, { verdict: 'ok', evidence: 'Node.js 20.1.0 (~/bin/old)' }],
  ['old', 'without/server.js', false, { verdict: 'ok', evidence: 'Node.js 20.1.0 (~/bin/old)' }],
  ['new', 'without/server.ts', false, { verdict: 'ok', evidence: 'Node.js 24.1.0 (~/bin/new)' }],
  [
    'old',
    'newer/dist/server.js',
    false,
    {
      verdict: 'fault',
      evidence:
        'Node.js 20.1.0 (~/bin/old) is not in >=22.12, which engines in ~/newer/package.json asks for',
      advice: 'Write the path of a Node.js >=22.12 in "command"',
    },
  ],
  [
    'new',
    'newer/server.js',
    false,
    { verdict: 'ok', evidence: 'Node.js 24.1.0 (~/bin/new) for engines >=22.12' },
  ],
  [
    'new',
    'unclear/server.js',
    false,
    { verdict: 'ok', evidence: 'Node.js 24.1.0 (~/bin/new) for engines latest' },
  ],
  ['new', 'number/server.js', false, { verdict: 'ok', evidence: 'Node.js 24.1.0 (~/bin/new)' }],
  ['new', 'none/server.js', false, { verdict: 'ok', evidence: 'Node.js 24.1.0 (~/bin/new)' }],
])(
  'checkNode rates the Node.js executable "%s" for the script %s (with a loader: %s)',
  async (node, script, loader, expected) => {
    const { path, shown } = folderWith(FILES)
    const context = { env: { PATH: process.env['PATH'] ?? '' }, cwd: path('~') }
    const run = { node: path(`~/bin/${node}`), script: path(`~/${script}`), loader, ...context }
    const [finding, ...others] = shown(await checkNode(run))
    expect({ ...finding, others }).toMatchObject({ check: 'node', ...expected, others: [] })
  },
)
