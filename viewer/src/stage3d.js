// SPDX-License-Identifier: Apache-2.0
// Spatial systems by three.js. z is up. The WebGL context exists only while the stage is on the screen: browsers allow few.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Forces } from "./forces.js";
import { centreOf, isEndless } from "./items.js";
import { Arrows, Instances, sortItems } from "./instances.js";
import { itemObject, placeItem } from "./shapes3d.js";
import { niceStep } from "./text.js";

const LEFT_ALONE = 2; // seconds until the context of a stage out of sight is given back

export class Stage3d {
    constructor(host, system, theme) {
        Object.assign(this, { host, system, theme });
        this.camera = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
        this.camera.up.set(0, 0, 1);
        this.message = null;
        this.build();
        this.look();
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(host);
        this.seen = new IntersectionObserver((entries) => this.show(entries[entries.length - 1].isIntersecting), { rootMargin: "200px" });
        this.seen.observe(host);
    }

    destroy() {
        this.observer.disconnect();
        this.seen.disconnect();
        clearTimeout(this.leaving);
        this.release();
    }

    // ---- the context ----

    show(visible) {
        clearTimeout(this.leaving);
        if (visible) this.acquire();
        else this.leaving = setTimeout(() => this.release(), LEFT_ALONE * 1000);
    }

    acquire() {
        if (this.renderer || this.message) return;
        const canvas = document.createElement("canvas");
        canvas.className = "zeno-canvas";
        const context = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
        if (!context) {
            this.message = document.createElement("p");
            this.message.className = "zeno-message";
            this.message.textContent = "This browser offers no WebGL, which the spatial animation needs. The plots work without it.";
            this.host.append(this.message);
            return;
        }
        const renderer = new THREE.WebGLRenderer({ canvas, context });
        this.renderer = renderer;
        renderer.shadowMap.enabled = true;
        renderer.shadowMap.type = THREE.PCFShadowMap;
        this.host.append(canvas);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.target.copy(this.target);
        this.controls.update();
        this.controls.addEventListener("change", () => {
            this.target.copy(this.controls.target);
            this.system.refresh();
        });
        this.resize();
    }

    release() {
        if (!this.renderer) return;
        this.controls.dispose();
        this.renderer.dispose();
        this.renderer.forceContextLoss();
        this.renderer.domElement.remove();
        this.renderer = this.controls = null;
    }

    resize() {
        const width = Math.max(this.host.clientWidth, 1), height = Math.max(this.host.clientHeight, 1);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (this.renderer) {
            this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
            this.renderer.setSize(width, height, false);
        }
        if (!this.moved) this.look();
        this.system.refresh?.();
    }

    // ---- the scene ----

    build() {
        const { bounds } = this.system, theme = this.theme;
        this.scene = new THREE.Scene();
        this.scene.background = new THREE.Color(theme.stage);
        this.scene.add(new THREE.HemisphereLight(0xffffff, theme.dark ? 0x55555f : 0xb8b0a4, theme.dark ? 1.9 : 2.3));
        const middle = new THREE.Vector3(...bounds.low.map((value, k) => (value + bounds.high[k]) / 2)), size = bounds.size;
        const sun = new THREE.DirectionalLight(0xffffff, theme.dark ? 2.2 : 2.2);
        sun.position.copy(middle).add(new THREE.Vector3(-0.8, -0.6, 1.9).multiplyScalar(size));
        sun.target.position.copy(middle);
        sun.castShadow = true;
        sun.shadow.mapSize.set(2048, 2048);
        Object.assign(sun.shadow.camera, { left: -size, right: size, top: size, bottom: -size, near: 0.1 * size, far: 6 * size });
        sun.shadow.normalBias = 0.004 * size;
        sun.shadow.intensity = 0.6;
        this.scene.add(sun, sun.target);
        const { alike, single } = sortItems(this.system.items);
        this.instances = alike.map((items) => new Instances(this.scene, items, theme, bounds));
        this.objects = single.map((item) => {
            const object = itemObject(item, theme, bounds);
            this.scene.add(object);
            return { item, object };
        });
        if (!this.system.items.some((item) => isEndless(item.def))) this.addGrid(middle, size);
        this.arrows = new Arrows(this.scene, theme.force);
        this.trailLine = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: theme.faint }));
        this.trailLine.frustumCulled = false;
        this.scene.add(this.trailLine);
    }

    addGrid(middle, size) {
        const step = niceStep(size / 8), count = Math.ceil((1.6 * size) / step);
        const grid = new THREE.GridHelper(count * step, count, this.theme.grid, this.theme.grid);
        grid.rotation.x = Math.PI / 2;
        grid.position.set(Math.round(middle.x / step) * step, Math.round(middle.y / step) * step, this.system.bounds.low[2]);
        this.scene.add(grid);
    }

    restyle(theme) {
        this.theme = theme;
        this.build();
        this.system.refresh();
    }

    // A view from the front right above that shows everything.
    look() {
        const { low, high } = this.system.bounds;
        this.target = new THREE.Vector3(...low.map((value, k) => (value + high[k]) / 2));
        const direction = new THREE.Vector3(0.5, -1, 0.62).normalize(), tangent = Math.tan((this.camera.fov * Math.PI) / 360);
        const forward = direction.clone().negate(), right = forward.clone().cross(new THREE.Vector3(0, 0, 1)).normalize();
        const up = right.clone().cross(forward);
        let distance = 0;
        for (let i = 0; i < 8; i++) {
            const corner = new THREE.Vector3(...low.map((value, k) => ((i >> k) & 1 ? high[k] : value))).sub(this.target);
            const depth = corner.dot(direction);
            distance = Math.max(distance, depth + (Math.abs(corner.dot(right)) / (tangent * this.camera.aspect)) * 1.12,
                                depth + (Math.abs(corner.dot(up)) / tangent) * 1.12);
        }
        this.camera.position.copy(this.target).addScaledVector(direction, Math.max(distance, 1e-9));
        this.camera.near = distance / 200;
        this.camera.far = distance * 60;
        this.camera.updateProjectionMatrix();
        this.camera.lookAt(this.target);
        if (this.controls) {
            this.controls.target.copy(this.target);
            this.controls.update();
        }
    }

    fit() {
        this.look();
        this.system.refresh();
    }

    draw(moment) {
        if (!this.renderer) return;
        for (const { item, object } of this.objects) placeItem(item, object, moment);
        for (const group of this.instances) group.place(moment);
        this.follow(moment);
        this.drawTrail(moment);
        this.drawForces(moment);
        this.renderer.render(this.scene, this.camera);
    }

    follow(moment) {
        const item = this.system.followed;
        if (!item) {
            this.last = null;
            return;
        }
        const now = new THREE.Vector3(...centreOf(item, moment));
        if (this.last) {
            const by = now.clone().sub(this.last);
            this.camera.position.add(by);
            this.target.add(by);
            this.controls?.target.copy(this.target);
        }
        this.last = now;
    }

    drawTrail(moment) {
        const item = this.system.trailed;
        this.trailLine.visible = Boolean(item);
        if (!item) return;
        this.trailLine.material.color.set(this.theme.bodies[Math.max(item.colour, 0) % this.theme.bodies.length]);
        this.trailLine.geometry.dispose();
        this.trailLine.geometry = new THREE.BufferGeometry().setFromPoints(this.system.trail(moment).map((point) => new THREE.Vector3(...point)));
    }

    drawForces(moment) {
        const { forces, showForces, bounds } = this.system, list = showForces ? forces.at(moment) : [];
        const usual = 0.16 * Math.min(bounds.size, 4 * this.system.sizeOfItems);
        this.arrows.show(list.map(({ at, force }) => ({ at, force, length: usual * Forces.relative(Math.hypot(...force), forces.reference) })), usual);
    }
}
