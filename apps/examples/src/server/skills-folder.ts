import { fileURLToPath } from 'node:url'
import { McpServer } from '@jetway/core'
import { skills } from '@jetway/skills'
import { readSkills } from '@jetway/skills/folder'

// #region folder
const folder = fileURLToPath(new URL('../../skills', import.meta.url))
const library = skills({ skills: await readSkills(folder), directoryRead: true })

export const server = new McpServer({ name: 'acme', version: '1.0.0' }, { extensions: [library] })
// #endregion

// #region reload
export async function reload(): Promise<void> {
  library.set(await readSkills(folder))
}
// #endregion
