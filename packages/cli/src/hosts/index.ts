import type { Host } from './host.ts'
import { claudeCode } from './claude-code.ts'
import { claudeDesktop } from './claude-desktop.ts'
import { codex } from './codex.ts'
import { cursor } from './cursor.ts'
import { geminiCli } from './gemini-cli.ts'
import { goose } from './goose.ts'
import { vscode } from './vscode.ts'
import { windsurf } from './windsurf.ts'
import { zed } from './zed.ts'

/**
 * Each was compared with public documentation in November 2026, and no host was run. References to variables in VS Code,
 * Goose and Codex are known from reports only.
 */
export const HOSTS: readonly Host[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  vscode,
  windsurf,
  zed,
  codex,
  geminiCli,
  goose,
]
