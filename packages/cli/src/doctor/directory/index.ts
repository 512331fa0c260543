import { CHATGPT } from './chatgpt.ts'
import { CLAUDE } from './claude.ts'
import { REGISTRY } from './registry.ts'
import type { DirectoryRule } from './rule.ts'

/** The known directories, keyed by their name on the command line. */
export const DIRECTORIES: Readonly<Record<string, readonly DirectoryRule[]>> = {
  claude: CLAUDE,
  chatgpt: CHATGPT,
  registry: REGISTRY,
}
