import { expect, it } from 'vitest'
import { startable } from '../../src/install/server.ts'

const npx = { name: 'npx', path: String.raw`C:\Program Files\nodejs\npx.cmd`, args: ['-y', 'shop@1'] }
const node = { name: 'node', path: String.raw`C:\node.exe`, args: ['a.js'] }

it.each([
  ['win32', npx, { command: 'cmd', args: ['/c', 'npx', '-y', 'shop@1'] }],
  [
    'win32',
    { ...npx, path: String.raw`C:\RUN.BAT` },
    { command: 'cmd', args: ['/c', 'npx', '-y', 'shop@1'] },
  ],
  ['win32', node, { command: node.path, args: node.args }],
  ['linux', { ...npx, path: '/opt/run.cmd' }, { command: '/opt/run.cmd', args: npx.args }],
] as const)('startable(), given platform %s and program %j, returns %j', (platform, program, expected) => {
  expect(startable(platform, program)).toEqual(expected)
})
