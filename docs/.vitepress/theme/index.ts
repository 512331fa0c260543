import type { Theme } from 'vitepress'
// The variant without web fonts: jetway.css uses the reader's system fonts.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { NotFound } from './not-found.ts'
import { PageTools } from './page-tools.ts'
import { loadIndexEarly } from './search.ts'
import './jetway.css'

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'doc-before': () => h(PageTools),
      'not-found': () => h(NotFound),
    }),
  enhanceApp: () => {
    // The pages are built where there is no window.
    if (typeof window !== 'undefined') loadIndexEarly()
  },
}
export default theme
