import { useData } from 'vitepress';
import { defineComponent, h, onBeforeUnmount, onMounted, ref, watchEffect } from 'vue';

/** A page of the console, within a page of this site. Its styles and those of the site don't meet. */
export const SnowflakeTool = defineComponent({
  props: {
    tool: { type: String, required: true },
    language: { type: String, required: true },
  },
  setup(props) {
    const host = ref<HTMLElement>();
    const { isDark } = useData();
    let remove: (() => void) | undefined;
    let isGone = false;
    onMounted(async () => {
      if (host.value === undefined) return;
      const { dataset } = host.value;
      watchEffect(() => (dataset['theme'] = isDark.value ? 'dark' : 'light'));
      const place = host.value.attachShadow({ mode: 'open' });
      const { showTool } = await import('console-tool');
      remove = await showTool(place, props.tool, props.language);
      if (isGone) remove();
    });
    onBeforeUnmount(() => {
      isGone = true;
      remove?.();
    });
    return () => h('div', { ref: host, class: 'snowflake-tool vp-raw', lang: props.language });
  },
});
