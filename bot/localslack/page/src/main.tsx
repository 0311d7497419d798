import { createRoot } from "react-dom/client";
import { App } from "./app";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/sidebar.css";
import "./styles/message.css";
import "./styles/composer.css";
import "./styles/blocks.css";
import "./styles/elements.css";
import "./styles/modal.css";
import "./styles/narrow.css";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
