import { useData, withBase } from 'vitepress'
import { defineComponent, h, ref } from 'vue'
import { mapLinks } from '../markdown-links.ts'

const COPY = 'Copy page'

/** Buttons that copy or show a page's Markdown, for use with a language model. */
export const PageTools = defineComponent(() => {
  const { page } = useData()
  const label = ref(COPY)
  const address = (): string => withBase(`/${page.value.relativePath}`)

  async function copy(): Promise<void> {
    try {
      const response = await fetch(address())
      // The links are absolute, because a chat does not know the page's address.
      await navigator.clipboard.writeText(
        mapLinks(await response.text(), (target) => new URL(target, response.url).href),
      )
      label.value = 'Copied'
    } catch {
      // The clipboard is not available without HTTPS or without permission.
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
