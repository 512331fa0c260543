import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { build, transform } from 'esbuild'
import { rollup } from 'rollup'
import { build as viteBuild } from 'vite'

/** Bundles a Worker into one minified file. */
type Bundler = (entry: string, outfile: string) => Promise<unknown>

/** The conditions that bundlers for Workers set. */
const CONDITIONS = ['workerd', 'worker', 'browser']

/** The bundlers, configured for Workers as in their documentation, without settings for Jetway. */
export const BUNDLERS: Readonly<Record<string, Bundler>> = {
  esbuild: (entry, outfile) =>
    build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      conditions: CONDITIONS,
      logLevel: 'error',
    }),

  Rollup: async (entry, outfile) => {
    const typescript = {
      name: 'typescript',
      transform: async (code: string, id: string) =>
        id.endsWith('.ts') ? (await transform(code, { loader: 'ts' })).code : null,
    }
    const bundle = await rollup({
      input: entry,
      plugins: [nodeResolve({ exportConditions: CONDITIONS }), typescript],
    })
    await bundle.write({ file: outfile, format: 'es' })
    const { code } = await transform(await readFile(outfile, 'utf8'), { minify: true, target: 'es2022' })
    await writeFile(outfile, code)
  },

  Vite: (entry, outfile) =>
    viteBuild({
      configFile: false,
      logLevel: 'error',
      ssr: { target: 'webworker', noExternal: true, resolve: { conditions: CONDITIONS } },
      build: {
        ssr: entry,
        minify: true,
        target: 'es2022',
        outDir: dirname(outfile),
        rolldownOptions: { output: { entryFileNames: 'worker.js' } },
      },
    }),

  wrangler: async (entry, outfile) => {
    const outdir = dirname(outfile)
    const config = join(outdir, 'wrangler.json')
    const worker = { name: 'worker', main: entry, compatibility_date: '2026-04-01' }
    // By default, wrangler keeps function names for stack traces. They make up a tenth of the size.
    await writeFile(config, JSON.stringify({ ...worker, minify: true, keep_names: false }))
    const wrangler = fileURLToPath(new URL('../bin/wrangler.js', import.meta.resolve('wrangler')))
    await promisify(execFile)(
      process.execPath,
      [wrangler, 'deploy', '--dry-run', '--config', config, '--outdir', outdir],
      { env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
    )
    await writeFile(outfile, await readFile(join(outdir, 'hello.js')))
  },
}
