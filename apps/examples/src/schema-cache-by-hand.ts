// #region write
import { checkSchemas, renderSchemas, warmSchemas } from '@jetway/core/schema-cache'
import { readSchemas, writeSchemas } from '@jetway/schemas'
import { server } from './schema-cache.ts'

export async function build(folder: string): Promise<void> {
  await writeSchemas(folder, await renderSchemas(await warmSchemas(server)))
}

/** The tools and prompts whose schemas are not those of the cache. */
export async function stale(folder: string): Promise<readonly string[]> {
  const faults = await checkSchemas(server, await readSchemas(folder))
  return faults.map(({ where, why }) => `${where}: ${why}`)
}
// #endregion
