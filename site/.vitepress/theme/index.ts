import { useData, type Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineComponent, h } from 'vue';
import idPicture from '../../../docs/assets/id.svg';
import { SnowflakeTool } from './snowflake-tool.js';
import './style.css';

/** Below the hero of the home page: a program, what it answers, and what the ID in the answer consists of. */
const HomeExample = defineComponent(() => {
  const { frontmatter } = useData();
  const alt = 'The bits of the ID: a timestamp, the worker ID of one process, and a sequence';
  return () =>
    h('div', { class: 'home-example' }, [
      h('div', { class: 'vp-doc', innerHTML: frontmatter.value['example'] as string }),
      h('img', { src: idPicture, alt, width: 600, height: 242 }),
    ]);
});

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-after': () => h(HomeExample) }),
  enhanceApp({ app }) {
    app.component('SnowflakeTool', SnowflakeTool);
  },
} satisfies Theme;
