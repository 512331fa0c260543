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
 * Each host's data was checked against its public documentation in November 2026, but not with the host itself.
 * How VS Code, Goose and Codex refer to variables is known only from users' reports.
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
