// SPDX-License-Identifier: Apache-2.0
// Many items of one shape as one object: the graphics processor gets a matrix and a colour for each, and is called once for all of them.
import * as THREE from "three";
import { itemColour, itemObject } from "./shapes3d.js";

const FEW = 4; // items of one shape that are not worth it
const SHAPES = new Set(["sphere", "ellipsoid", "ellipse", "disk", "ring", "cylinder", "box", "capsule", "point", "joint", "hull", "polygon", "mesh"]);

// What makes two items look the same but for place and colour.
const looks = ({ shape, radius, length, size, points, triangles, small, thin }) => JSON.stringify([shape, radius, length, size, points, triangles, small, thin]);

// Lists of items of one shape, and the items that are drawn by themselves.
export function sortItems(items) {
    const groups = new Map(), single = [];
    for (const item of items) {
        if (!SHAPES.has(item.def.shape) || !item.pose) single.push(item);
        else {
            const key = looks(item.def);
            if (!groups.has(key)) groups.set(key, []);
            groups.get(key).push(item);
        }
    }
    const alike = [...groups.values()].filter((group) => group.length >= FEW);
    for (const group of groups.values()) if (group.length < FEW) single.push(...group);
    return { alike, single };
}

// three.js has instances of triangles only, but asks for no more than these members to draw lines the same way.
function instancedLines(geometry, material, count) {
    const lines = new THREE.LineSegments(geometry, material), like = new THREE.InstancedMesh(geometry, material, count);
    return Object.assign(lines, { isInstancedMesh: true, count, instanceMatrix: like.instanceMatrix, instanceColor: null, morphTexture: null, previousInstanceMatrix: null });
}

const HIDDEN = new THREE.Matrix4().makeScale(0, 0, 0), ONE = new THREE.Vector3(1, 1, 1);

export class Instances {
    constructor(scene, items, theme, bounds) {
        const like = itemObject(items[0], theme, bounds, items.length);
        this.items = items;
        this.parts = [];
        this.matrix = new THREE.Matrix4();
        like.updateMatrixWorld(true); // where its pieces are
        like.traverse((piece) => {
            if (!piece.geometry) return;
            const part = piece.isMesh ? new THREE.InstancedMesh(piece.geometry, piece.material, items.length) : instancedLines(piece.geometry, piece.material, items.length);
            part.frustumCulled = false; // its bounds would be those of the first place
            part.castShadow = piece.castShadow;
            part.receiveShadow = piece.receiveShadow;
            if (piece.material.userData.own) {
                piece.material.color.set("#ffffff");
                items.forEach((item, i) => part.setColorAt(i, new THREE.Color(itemColour(item, theme))));
            }
            scene.add(part);
            this.parts.push({ part, local: piece.matrixWorld.equals(this.matrix) ? null : piece.matrixWorld.clone() });
        });
    }

    place(moment) {
        const position = new THREE.Vector3(), turn = new THREE.Quaternion(), whole = new THREE.Matrix4();
        this.items.forEach((item, i) => {
            const { r, p } = item.pose(moment), seen = r.every(Number.isFinite);
            if (seen) whole.compose(position.set(r[0], r[1], r[2]), turn.set(p[1], p[2], p[3], p[0]), ONE);
            for (const { part, local } of this.parts) {
                if (!seen) part.instanceMatrix.array.set(HIDDEN.elements, 16 * i);
                else if (local) part.instanceMatrix.array.set(this.matrix.multiplyMatrices(whole, local).elements, 16 * i);
                else part.instanceMatrix.array.set(whole.elements, 16 * i);
            }
        });
        for (const { part } of this.parts) part.instanceMatrix.needsUpdate = true;
    }
}

// ---- arrows ----

const ALONG = new THREE.Vector3(0, 0, 1), ROOM = 64;
const upright = (geometry) => geometry.rotateX(Math.PI / 2);

// Any number of arrows: shafts and heads.
export class Arrows {
    constructor(scene, colour) {
        this.scene = scene;
        this.paint = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }); // also seen inside bodies
        this.shapes = [upright(new THREE.CylinderGeometry(1, 1, 1, 12)), upright(new THREE.ConeGeometry(1, 1, 20))];
        this.parts = [];
        this.room = 0;
    }

    grow(count) {
        if (count <= this.room) return;
        this.room = Math.max(ROOM, 2 * count);
        for (const part of this.parts) (this.scene.remove(part), part.dispose());
        this.parts = this.shapes.map((geometry) => {
            const part = new THREE.InstancedMesh(geometry, this.paint, this.room);
            part.frustumCulled = false;
            part.renderOrder = 10;
            this.scene.add(part);
            return part;
        });
    }

    // list: [{at, force, length}]; usual: the length of a usual one.
    show(list, usual) {
        this.grow(list.length);
        const turn = new THREE.Quaternion(), direction = new THREE.Vector3(), place = new THREE.Vector3(), scale = new THREE.Vector3(), matrix = new THREE.Matrix4();
        list.forEach(({ at, force, length }, i) => {
            const tip = Math.min(0.28 * usual, 0.6 * length);
            turn.setFromUnitVectors(ALONG, direction.set(...force).normalize());
            const pieces = [[(length - tip) / 2, 0.03 * usual, length - tip], [length - tip / 2, 0.09 * usual, tip]];
            pieces.forEach(([middle, wide, long], k) => {
                place.set(...at).addScaledVector(direction, middle);
                this.parts[k].setMatrixAt(i, matrix.compose(place, turn, scale.set(wide, wide, long)));
            });
        });
        for (const part of this.parts) {
            part.count = list.length;
            part.visible = list.length > 0;
            part.instanceMatrix.needsUpdate = true;
        }
    }
}
