"use strict";
(() => {
  const page = document.documentElement;
  const press = (name, value) => {
    for (const button of document.querySelectorAll(`button[data-set-${name}]`)) {
      button.setAttribute("aria-pressed", String(button.getAttribute(`data-set-${name}`) === value));
    }
  };
  const language = (tag) => {
    page.lang = tag;
    page.dataset.lang = tag;
    document.title = tag === "en" ? page.dataset.titleEn : page.dataset.titleZh;
    press("lang", tag);
  };
  const theme = (name) => {
    if (name === "auto") delete page.dataset.theme;
    else page.dataset.theme = name;
    press("theme", name);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && button.dataset.setLang) language(button.dataset.setLang);
    if (button && button.dataset.setTheme) theme(button.dataset.setTheme);
  });
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open]):not(:has(.numbers))")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
  const asked = new URLSearchParams(location.hash.slice(1));
  language(["en", "zh-CN"].includes(asked.get("lang")) ? asked.get("lang") : page.dataset.lang);
  theme(["light", "dark"].includes(asked.get("theme")) ? asked.get("theme") : "auto");
  page.classList.add("alive");
})();
