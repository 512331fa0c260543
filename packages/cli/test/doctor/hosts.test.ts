/** Invalid hosts' configurations whose servers are not started, each with the finding that names the fault. */
import { delimiter } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { type Broken, CLAUDE, claude, CURSOR, cursor, diagnose, expectFinding } from './support/doctor.ts'

const PATH = process.env['PATH'] ?? ''

const BROKEN: Readonly<Record<string, Broken>> = {
  'a file that does not parse': {
    files: { [CURSOR]: '{\n  "mcpServers": {\n    "shop" {}\n  }\n}' },
    argv: ['--host', 'cursor'],
    check: 'file',
    verdict: 'fault',
    evidence: /line 3, column 12/,
    advice: /Correct it/,
  },
  'a trailing comma for Claude Desktop': {
    files: { [CLAUDE]: '{\n  "mcpServers": {},\n}' },
    argv: ['--host', 'claude-desktop'],
    check: 'file',
    verdict: 'fault',
    evidence: /line 3, column 1/,
    advice: /Correct it/,
  },
  'mcpServers in VS Code': {
    files: { '.config/Code/User/mcp.json': '{"mcpServers":{"shop":{"command":"/bin/true"}}}' },
    argv: ['--host', 'vscode'],
    check: 'file',
    verdict: 'fault',
    evidence: /"mcpServers", which has shop/,
    advice: /"servers"/,
  },
  'servers in Cursor': {
    files: { [CURSOR]: '{"servers":{"shop":{"command":"/bin/true"}}}' },
    argv: ['--host', 'cursor'],
    check: 'file',
    verdict: 'fault',
    evidence: /"servers", which has shop/,
    advice: /"mcpServers"/,
  },
  'a file that the host does not read': {
    files: { '.claude/settings.json': '{"mcpServers":{"shop":{"command":"/bin/true"}}}' },
    argv: [],
    check: 'file',
    verdict: 'fault',
    evidence: /Claude Code does not read this file, which has shop/,
    advice: /\.claude\.json, below "mcpServers"/,
  },
  'a server with another name': {
    ...cursor({ command: '/bin/true' }),
    argv: ['cursor:shopp'],
    check: 'entry',
    verdict: 'fault',
    evidence: /no server shopp\. It has shop/,
    advice: /cursor:shop/,
  },
  'a host without a file': {
    argv: ['--host', 'cursor'],
    check: 'file',
    verdict: 'warning',
    evidence: /There is no file .*mcp\.json/,
    advice: /jetway install cursor/,
  },
  'a URL in Claude Desktop': {
    ...claude({ url: 'https://example.com/mcp' }),
    check: 'entry',
    verdict: 'fault',
    evidence: /takes no "url"/,
    advice: /Connectors/,
  },
  'a reference in Claude Desktop': {
    ...claude({ command: '/bin/true', env: { KEY: '${SHOP_KEY}' } }),
    check: 'entry',
    verdict: 'fault',
    evidence: /SHOP_KEY as it is/,
    advice: /Write the value/,
  },
  'a reference to a variable that is not set': {
    ...cursor({ command: '/bin/true', env: { KEY: '${env:UNSET_9}' } }),
    check: 'entry',
    verdict: 'fault',
    evidence: /UNSET_9, which is not set/,
    advice: /Correct the entry/,
  },
  'the same name twice': {
    files: {
      '.claude.json': JSON.stringify({
        mcpServers: { shop: { command: '/bin/true' } },
        projects: { [process.cwd()]: { mcpServers: { shop: { command: '/bin/false' } } } },
      }),
    },
    argv: ['claude-code:shop'],
    check: 'entry',
    verdict: 'warning',
    evidence: /takes shop of .*\.claude\.json/,
    advice: /Remove one/,
  },
  'a bare npx': {
    ...cursor({ command: 'npx', args: ['-y', 'shop'], env: { PATH: '~/none' } }),
    files: {
      ...cursor({ command: 'npx', args: ['-y', 'shop'], env: { PATH: '~/none' } }).files,
      'bin/npx': '#!/usr/bin/env node\n',
    },
    env: { PATH: `~/bin${delimiter}${PATH}` },
    check: 'command',
    verdict: 'fault',
    evidence: /npx is not in the PATH of the server/,
    advice: /"command": ".*\/bin\/npx" and "env": \{"PATH"/,
  },
  'a program that only the user can find': {
    ...cursor({ command: 'shop-server' }, { 'bin/shop-server': '#!/bin/sh\n' }),
    env: { PATH: `~/bin${delimiter}${PATH}` },
    check: 'command',
    verdict: 'fault',
    evidence: /shop-server is not in the PATH .* in yours it is .*\/bin\/shop-server/,
    advice: /"command": ".*\/bin\/shop-server"/,
  },
  'a program that is not installed': {
    ...cursor({ command: 'shop-server' }),
    check: 'command',
    verdict: 'fault',
    evidence: /shop-server is in no folder of PATH/,
    advice: /Install shop-server/,
  },
  'arguments in the command': {
    ...cursor({ command: 'node server.js' }),
    check: 'command',
    verdict: 'fault',
    evidence: /no program "node server\.js"/,
    advice: /"args"/,
  },
  'a home folder that no shell expands': {
    ...cursor({ command: '$HOME/bin/shop' }),
    check: 'command',
    verdict: 'fault',
    evidence: /\$HOME\/bin\/shop is not expanded/,
    advice: /absolute path/,
  },
  'a command that no longer exists': {
    ...cursor({ command: '~/.nvm/versions/node/v1/bin/node' }),
    check: 'command',
    verdict: 'fault',
    evidence: /There is no file .*\.nvm/,
    advice: /version manager has removed it/,
  },
  'a command that is not a program': {
    ...cursor({ command: '~/server.cjs' }, { 'server.cjs': '' }),
    check: 'command',
    verdict: 'fault',
    evidence: /server\.cjs is not executable/,
    advice: /chmod \+x/,
  },
  'a program whose interpreter an app does not find': {
    ...cursor({ command: '~/bin/shop' }, { 'bin/shop': '#!/usr/bin/env shop-runtime\n' }),
    check: 'command',
    verdict: 'fault',
    evidence: /bin\/shop is run by shop-runtime/,
    advice: /"PATH"/,
  },
  'a relative script': {
    ...cursor({ command: process.execPath, args: ['dist/server.js'] }),
    check: 'script',
    verdict: 'fault',
    evidence: /dist\/server\.js is relative/,
    advice: /absolute path/,
  },
}

it.each(Object.entries(BROKEN))('jetway doctor reports %s', (_, broken) => expectFinding(broken))

it('jetway doctor rejects the name of an unknown host', async () => {
  const { exitCode, stderr } = await diagnose({ argv: ['--host', 'curser'] })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining('Did you mean cursor?'),
  })
})
