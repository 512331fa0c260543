import { useData, withBase } from 'vitepress'
import { defineComponent, h, ref } from 'vue'
import { mapLinks } from '../markdown-links.ts'

const COPY = 'Copy page'

/** Copies the Markdown of a page, for a language model, or shows it. */
export const PageTools = defineComponent(() => {
  const { page } = useData()
  const label = ref(COPY)
  const address = (): string => withBase(`/${page.value.relativePath}`)

  async function copy(): Promise<void> {
    try {
      const response = await fetch(address())
      // A chat does not know where the page was, so its links are absolute.
      await navigator.clipboard.writeText(
        mapLinks(await response.text(), (target) => new URL(target, response.url).href),
      )
      label.value = 'Copied'
    } catch {
      // Without HTTPS, or without permission, there is no clipboard.
      window.open(address())
    }
    setTimeout(() => (label.value = COPY), 2_000)
  }

  return () =>
    h('div', { class: 'page-tools' }, [
      h('button', { type: 'button', 'aria-live': 'polite', onClick: copy }, label.value),
      h('a', { href: address(), target: '_blank', rel: 'alternate' }, 'Markdown'),
    ])
})
