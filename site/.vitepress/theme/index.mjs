// VitePress's own theme, and diagrams.

import DefaultTheme from "vitepress/theme";
import { defineComponent, h, onMounted, ref } from "vue";

let diagrams = 0;

/** Mermaid is only loaded by pages that have a diagram. Until then, and without scripts, its text stands there. */
const Diagram = defineComponent({
  props: { code: { type: String, required: true } },
  setup(props) {
    const code = decodeURIComponent(props.code);
    const drawn = ref("");
    onMounted(async () => {
      const { default: mermaid } = await import("mermaid");
      const isDark = document.documentElement.classList.contains("dark");
      mermaid.initialize({ startOnLoad: false, theme: isDark ? "dark" : "neutral" });
      drawn.value = (await mermaid.render(`diagram-${++diagrams}`, code)).svg;
    });
    return () => (drawn.value ? h("div", { class: "diagram", innerHTML: drawn.value }) : h("pre", code));
  },
});

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("Diagram", Diagram);
  },
};
