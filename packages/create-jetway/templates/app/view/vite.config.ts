import { defineConfig, type Plugin } from 'vite'

/** Puts scripts and styles into the document, because hosts load the document alone. */
function singleFile(): Plugin {
  return {
    name: 'single-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('The view has no index.html')
      let html = String(page.source)
      const place = (tag: RegExp, text: string): void => {
        if (!tag.test(html)) throw new Error(`index.html has no ${String(tag)}`)
        html = html.replace(tag, () => text)
      }
      for (const file of Object.values(bundle)) {
        if (file === page) continue
        const name = file.fileName.replaceAll(/[.\\/]/g, '\\$&')
        if (file.type === 'chunk')
          place(
            new RegExp(`<script[^>]*"[^"]*${name}"[^>]*></script>`),
            `<script type="module">${file.code.replaceAll('</script', '<\\/script')}</script>`,
          )
        else place(new RegExp(`<link[^>]*"[^"]*${name}"[^>]*>`), `<style>${String(file.source)}</style>`)
        delete bundle[file.fileName]
      }
      page.source = html
    },
  }
}

export default defineConfig({
  plugins: [singleFile()],
  build: {
    outDir: '../dist/view',
    emptyOutDir: true,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: false,
  },
})
